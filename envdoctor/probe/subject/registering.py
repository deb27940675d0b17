"""Places where a file registers ids, found by reading: what runs only when the file itself is run
stands below `if __name__ == "__main__":`.
"""

from __future__ import annotations

import ast
import importlib.util
import os
import re
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Sequence, Tuple

from envdoctor.probe.subject.guards import is_guard

if TYPE_CHECKING:
    from envdoctor.model.subject import Subject

MAX_SOURCE = 400_000  # bytes of one file
MAX_TEXT = 200  # characters of a line
MAX_FOUND = 20
MAX_FILES = 1000  # of the user's directory
LEAST = 4  # characters of an id that are written out, where the rest of it is computed
ANY = ".+"


def guarded_registrations(subject: Subject) -> List[Dict[str, object]]:
    """[{id, file, line, text, function}] of the files that the SPEC and --import name: an id whose
    `register()` is not reached by importing them. `function` is the one that the guard calls, or
    nothing.
    """
    registrations: List[Dict[str, object]] = []
    for file in files_of(subject):
        text = _read(file)
        if "__main__" in text and "register(" in text:  # spares nearly every file the parser
            registrations += _below_guards(file, text)
    return registrations[:MAX_FOUND]


def registration_of(identifier: str, subject: Subject) -> Dict[str, object]:
    """{file, line, text} of the first `register()` of an id in the files that the SPEC and
    --import name; empty if there is none.
    """
    for file in files_of(subject):
        text = _read(file)
        tree = _parse(text) if identifier in text else None
        for node in ast.walk(tree) if tree else ():
            if isinstance(node, ast.Call) and _id_of(node) == identifier:
                return _place(file, text, node)
    return {}


def files_of(subject: Subject) -> List[str]:
    """The source files that the SPEC, --script and --import name. Nothing is imported for it,
    but parents of a dotted module.
    """
    names = [
        subject.path,
        subject.script,
        *(_source_of(name) for name in (subject.module, *subject.imports)),
    ]
    return [name for name in dict.fromkeys(names) if name]


def may_register(subject: Subject) -> bool:
    """Return whether one of these files has a call of `register` in it."""
    return any("register(" in _read(file) for file in files_of(subject))


def modules_that_register(names: Sequence[str], directory: str) -> List[str]:
    """The modules of a directory whose import registers one of these ids, found by reading:
    `mypkg.envs`. An id may be computed, as f"idsgame-{name}-v3" is.
    """
    modules = []
    for file, module in _modules_below(directory):
        text = _read(file)
        tree = _parse(text) if "register(" in text else None
        if tree is not None and any(_may_be(call, names) for call in _calls_at_import(tree)):
            modules.append(module)
    return modules


def _may_be(call: ast.Call, names: Sequence[str]) -> bool:
    """Return whether a call registers one of these ids, or one that is computed, whose parts that
    are written out fit.
    """
    pattern = _pattern(_id_node(call))
    is_known = len(pattern.replace(ANY, "")) >= LEAST
    return is_known and any(re.match("(?:%s)$" % pattern, name) for name in names)


def _pattern(node: Optional[ast.AST]) -> str:
    """The pattern of the texts that an expression makes."""
    value = getattr(node, "value", None)
    if isinstance(node, ast.JoinedStr):
        return "".join(map(_pattern, node.values))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _pattern(node.left) + _pattern(node.right)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        return _filled(getattr(node.left, "value", None), r"%\w")
    if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "format":
        return _filled(getattr(getattr(node.func, "value", None), "value", None), r"\{[^}]*\}")
    return re.escape(value) if isinstance(value, str) else ANY


def _filled(text: object, places: str) -> str:
    """A text with places that are filled in."""
    return ANY.join(map(re.escape, re.split(places, text))) if isinstance(text, str) else ANY


def imported_inside(script: str, modules: Sequence[str]) -> Dict[str, object]:
    """{file, line, text, function} of the first statement of a script that imports one of these
    modules, or their package, where running its top level does not reach it: in a function, or
    below its guard. Empty where there is none.
    """
    text = _read(script) if script and modules else ""
    packages = {module.split(".")[0] for module in modules}
    for node, function in _unreached(_parse(text)):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        if packages & {name.split(".")[0] for name in names}:
            return dict(_place(script, text, node), function=function)
    return {}


def _unreached(tree: Optional[ast.Module]) -> Iterator[Tuple[ast.AST, str]]:
    """(node, name) of what is inside a function of a script, or below its guard."""
    for statement in tree.body if tree is not None else ():
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from ((node, statement.name) for node in ast.walk(statement))
        elif is_guard(statement):
            yield from ((node, "") for node in ast.walk(statement))


def _calls_at_import(tree: ast.AST) -> Iterator[ast.Call]:
    """The calls that importing a module makes: none in a function, none below its guard."""
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)) or (
            is_guard(child)
        ):
            continue
        if isinstance(child, ast.Call):
            yield child
        yield from _calls_at_import(child)


def _modules_below(directory: str) -> Iterator[Tuple[str, str]]:
    """(file, module) of what can be imported from a directory: its own files, and its packages."""
    files = 0
    for folder, folders, names in os.walk(directory or os.devnull):
        words = os.path.relpath(folder, directory).split(os.sep)
        words = [] if words == [os.curdir] else words
        if words and "__init__.py" not in names:
            folders[:] = []  # no package, so nothing below it is imported by that name
            continue
        folders[:] = (
            sorted(child for child in folders if child.isidentifier()) if len(words) < 4 else []
        )
        for name in sorted(names):
            stem, ending = os.path.splitext(name)
            if ending == ".py" and stem.isidentifier() and files < MAX_FILES:
                files += 1
                inner = [*words, *([] if stem == "__init__" else [stem])]
                yield os.path.join(folder, name), ".".join(inner)


def _source_of(module: Optional[str]) -> Optional[str]:
    try:
        spec = importlib.util.find_spec(module) if module else None
    except Exception:  # a parent package that cannot be imported is reported by those who need it
        return None
    return spec.origin if spec is not None and spec.has_location else None


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


def _below_guards(file: str, text: str) -> Iterator[Dict[str, object]]:
    tree = _parse(text)
    functions = (
        {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)} if tree else {}
    )
    for guard in tree.body if tree else ():
        if isinstance(guard, ast.If) and is_guard(guard):
            for call, function in _calls(guard.body, functions):
                yield dict(_place(file, text, call), id=_id_of(call), function=function)


def _place(file: str, text: str, node: Any) -> Dict[str, object]:
    return {
        "file": file,
        "line": node.lineno,
        "text": text.split("\n")[node.lineno - 1].strip()[:MAX_TEXT],
    }


def _calls(
    body: List[ast.stmt], functions: Dict[str, ast.FunctionDef]
) -> Iterator[Tuple[ast.Call, str]]:
    """(call, function) of every `register("id", ...)` in these statements, and in the functions
    of the file that they call.
    """
    for node in [
        node for statement in body for node in ast.walk(statement) if isinstance(node, ast.Call)
    ]:
        if _id_of(node):
            yield node, ""
        elif isinstance(node.func, ast.Name) and node.func.id in functions:
            name = node.func.id
            yield from (
                (inner, name)
                for inner in ast.walk(functions[name])
                if isinstance(inner, ast.Call) and _id_of(inner)
            )


def _id_of(call: ast.Call) -> str:
    """The id that a call registers; nothing where it is another call, or where the id is not
    written out.
    """
    value = getattr(_id_node(call), "value", None)
    return value if isinstance(value, str) else ""


def _id_node(call: ast.Call) -> Optional[ast.expr]:
    """The expression that a call of `register` has for the id; nothing of another call."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    arguments = [keyword.value for keyword in call.keywords if keyword.arg == "id"] or call.args[:1]
    return arguments[0] if name == "register" and arguments else None
