"""Places where a file registers ids, found by reading: what runs only when the file itself is run
stands below `if __name__ == "__main__":`.
"""

from __future__ import annotations

import ast
import importlib.util
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

from envdoctor.model.subject import Subject
from envdoctor.probe.subject.guards import is_guard
from envdoctor.probe.subject.registrations import id_of, modules_with, parse, read

MAX_TEXT = 200  # characters of a line
MAX_FOUND = 20


def guarded_registrations(subject: Subject) -> List[Dict[str, object]]:
    """[{id, file, line, text, function}] of the files that the SPEC and --import name: an id whose
    `register()` is not reached by importing them. `function` is the one that the guard calls, or
    nothing.
    """
    registrations: List[Dict[str, object]] = []
    for file in files_of(subject):
        text = read(file)
        if "__main__" in text and "register(" in text:  # spares nearly every file the parser
            registrations += _below_guards(file, text)
    return registrations[:MAX_FOUND]


def registration_of(identifier: str, subject: Subject) -> Dict[str, object]:
    """{file, line, text} of the first `register()` of an id in the files that the SPEC and
    --import name; empty if there is none.
    """
    for file in files_of(subject):
        text = read(file)
        tree = parse(text) if identifier in text else None
        for node in ast.walk(tree) if tree else ():
            if isinstance(node, ast.Call) and id_of(node) == identifier:
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
    return any("register(" in read(file) for file in files_of(subject))


def modules_that_register(name: str, directory: str) -> List[str]:
    """The modules of a directory whose import registers the id, found by reading: `mypkg.envs`."""
    return modules_with((name,), directory)


def imported_inside(script: str, modules: Sequence[str]) -> Dict[str, object]:
    """{file, line, text, function} of the first statement of a script that imports one of these
    modules, or their package, where running its top level does not reach it: in a function, or
    below its guard. Empty where there is none.
    """
    text = read(script) if script and modules else ""
    packages = {module.split(".")[0] for module in modules}
    for node, function in _unreached(parse(text)):
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


def _source_of(module: Optional[str]) -> Optional[str]:
    try:
        spec = importlib.util.find_spec(module) if module else None
    except Exception:  # a parent package that cannot be imported is reported by those who need it
        return None
    return spec.origin if spec is not None and spec.has_location else None


def _below_guards(file: str, text: str) -> Iterator[Dict[str, object]]:
    tree = parse(text)
    functions = (
        {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)} if tree else {}
    )
    for guard in tree.body if tree else ():
        if isinstance(guard, ast.If) and is_guard(guard):
            for call, function in _calls(guard.body, functions):
                yield dict(_place(file, text, call), id=id_of(call), function=function)


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
        if id_of(node):
            yield node, ""
        elif isinstance(node.func, ast.Name) and node.func.id in functions:
            name = node.func.id
            yield from (
                (inner, name)
                for inner in ast.walk(functions[name])
                if isinstance(inner, ast.Call) and id_of(inner)
            )
