"""Where a file registers ids, found by reading: what runs only when the file itself is run stands below `if __name__ == "__main__":`."""

from __future__ import annotations

import ast
import importlib.util
from typing import Any, Dict, Iterator, List, Optional

from envdoctor.model.subject import Subject

MAX_SOURCE = 400_000  # bytes of one file
MAX_TEXT = 200  # characters of a line
MAX_FOUND = 20


def guarded_registrations(subject: Subject) -> List[Dict[str, Any]]:
    """[{id, file, line, text, function}] of the files that the SPEC and --import name: an id whose `register()` is not reached by
    importing them. `function` is the one that the guard calls, or nothing.
    """
    found: List[Dict[str, Any]] = []
    for file in files_of(subject):
        text = _read(file)
        if "__main__" in text and "register(" in text:  # spares nearly every file the parser
            found += _below_guards(file, text)
    return found[:MAX_FOUND]


def registration_of(identifier: str, subject: Subject) -> Dict[str, Any]:
    """{file, line, text} of the first `register()` of an id in the files that the SPEC and --import name; empty if there is none."""
    for file in files_of(subject):
        text = _read(file)
        tree = _parse(text) if identifier in text else None
        for node in ast.walk(tree) if tree else ():
            if isinstance(node, ast.Call) and _id_of(node) == identifier:
                return _place(file, text, node)
    return {}


def files_of(subject: Subject) -> List[str]:
    """The source files that the SPEC, --script and --import name. Nothing is imported for it, but parents of a dotted module."""
    names = [subject.path, subject.script, *(_source_of(name) for name in (subject.module, *subject.imports))]
    return [name for name in dict.fromkeys(names) if name]


def may_register(subject: Subject) -> bool:
    """Whether one of these files has a call of `register` in it."""
    return any("register(" in _read(file) for file in files_of(subject))


def _source_of(module: Optional[str]) -> Optional[str]:
    try:
        found = importlib.util.find_spec(module) if module else None
    except Exception:  # a parent package that cannot be imported is told by those who need it
        return None
    return found.origin if found is not None and found.has_location else None


def _read(file: str) -> str:
    try:
        with open(file, encoding="utf-8", errors="replace") as source:
            return source.read(MAX_SOURCE)
    except OSError:
        return ""


def _parse(text: str) -> Optional[ast.Module]:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None


def _below_guards(file: str, text: str) -> Iterator[Dict[str, Any]]:
    tree = _parse(text)
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)} if tree else {}
    for guard in tree.body if tree else ():
        if isinstance(guard, ast.If) and _is_guard(guard.test):
            for call, function in _calls(guard.body, functions):
                yield dict(_place(file, text, call), id=_id_of(call), function=function)


def _place(file: str, text: str, node: Any) -> Dict[str, Any]:
    return {"file": file, "line": node.lineno, "text": text.splitlines()[node.lineno - 1].strip()[:MAX_TEXT]}


def _is_guard(test: ast.expr) -> bool:
    """Whether it is `__name__ == "__main__"`, either way round."""
    if not (isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq)):
        return False
    sides = [test.left, test.comparators[0]]
    names = [side.id for side in sides if isinstance(side, ast.Name)]
    return names == ["__name__"] and any(getattr(side, "value", None) == "__main__" for side in sides)


def _calls(body: List[Any], functions: Dict[str, Any]) -> Iterator[Any]:
    """(call, function) of every `register("id", ...)` in these statements, and in the functions of the file that they call."""
    for node in [node for statement in body for node in ast.walk(statement) if isinstance(node, ast.Call)]:
        if _id_of(node):
            yield node, ""
        elif isinstance(node.func, ast.Name) and node.func.id in functions:
            name = node.func.id
            yield from ((inner, name) for inner in ast.walk(functions[name]) if isinstance(inner, ast.Call) and _id_of(inner))


def _id_of(call: ast.Call) -> str:
    """The id that a call registers; nothing where it is another call, or where the id is not written out."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    given = [keyword.value for keyword in call.keywords if keyword.arg == "id"] or call.args[:1]
    value = getattr(given[0], "value", None) if given else None
    return value if name == "register" and isinstance(value, str) else ""
