"""Calls of `register` in source files, and the modules of a folder whose import makes one of them,
found by reading.
"""

from __future__ import annotations

import ast
import os
import re
from typing import Iterator, List, Optional, Sequence, Tuple

from envdoctor.probe.subject.guards import is_guard

MAX_SOURCE = 400_000  # bytes of one file
MAX_FILES = 1000  # of the user's directory
LEAST = 4  # characters of an id that are written out, where the rest of it is computed
ANY = ".+"


def modules_with(names: Sequence[str], directory: str) -> List[str]:
    """The modules of a directory whose import registers one of these ids, found by reading:
    `mypkg.envs`. An id may be computed, as f"idsgame-{name}-v3" is.
    """
    modules = []
    for file, module in _modules_below(directory):
        text = read(file)
        tree = parse(text) if "register(" in text else None
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


def read(file: str) -> str:
    """The text of a source file; empty where it cannot be read."""
    try:
        with open(file, encoding="utf-8", errors="replace") as source:
            return source.read(MAX_SOURCE)
    except OSError:
        return ""


def parse(text: str) -> Optional[ast.Module]:
    """The tree of a text; None where it cannot be read as Python."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None


def id_of(call: ast.Call) -> str:
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
