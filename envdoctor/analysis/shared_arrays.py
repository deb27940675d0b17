"""Two names of a function that are one array, which it returns as two values and writes into."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from envdoctor.discovery.syntax import parsed

Function = ast.FunctionDef | ast.AsyncFunctionDef
#: Functions and methods that return what they are given where its type allows that.
NOT_COPYING = (
    "asarray",
    "asanyarray",
    "ascontiguousarray",
    "atleast_1d",
    "ravel",
    "reshape",
    "squeeze",
    "view",
)


class SharedArray(NamedTuple):
    """The names, and the lines that make the second of the first, and write into one of them."""

    names: tuple[str, str]
    bound: int
    written: int


def shared_array(text: str, line: int, first: int, second: int) -> SharedArray | None:
    """The names of two values that the function which begins at a line returns; None where they are
    one name, or nothing shows that one is made of the other, or writes into it later.
    """
    tree = parsed(text)
    function = next((each for each in ast.walk(tree) if _begins(each, line)), None)
    if function is None:
        return None
    for names in _returned(function, first, second):
        bound = next(_bindings(function, names), None)
        written = sorted(at for at in _writes(function, names) if bound is not None and at > bound)
        if bound is not None and written:
            return SharedArray(names, bound, written[0])
    return None


def _begins(node: ast.AST, line: int) -> bool:
    """Return whether a function begins at a line: Python counts its decorators."""
    return isinstance(node, Function) and line in (
        node.lineno,
        *(each.lineno for each in node.decorator_list),
    )


def _returned(function: ast.AST, first: int, second: int) -> Iterator[tuple[str, str]]:
    """The names of two values of each tuple that a function returns, where these differ."""
    for node in ast.walk(function):
        value = node.value if isinstance(node, ast.Return) else None
        if isinstance(value, ast.Tuple) and len(value.elts) > second:
            names = tuple(_name(value.elts[at]) for at in (first, second))
            if all(names) and names[0] != names[1]:
                yield names[0], names[1]


def _name(node: ast.AST | None) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def _bindings(function: ast.AST, names: tuple[str, str]) -> Iterator[int]:
    """The lines that make an array of one of these names of the other without a copy."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target = _name(node.targets[0])
            if target in names and _source(node.value) in set(names) - {target}:
                yield node.lineno


def _source(value: ast.expr) -> str:
    """The name of the array that a value is, or may be a view of; nothing of others. Of a choice,
    either: that it is one array has been seen.
    """
    if isinstance(value, ast.IfExp):
        return _source(value.body) or _source(value.orelse)
    if isinstance(value, ast.Call):
        if getattr(value.func, "attr", "") not in NOT_COPYING:
            return ""
        own = getattr(value.func, "value", None)
        return next(filter(None, map(_name, [*value.args[:1], own])), "")
    return _name(value)


def _writes(function: ast.AST, names: tuple[str, str]) -> Iterator[int]:
    """The lines that write into an array of one of these names."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            targets = [each.value for each in node.targets if isinstance(each, ast.Subscript)]
        elif isinstance(node, ast.AugAssign):
            own = node.target
            targets = [own.value if isinstance(own, ast.Subscript) else own]
        else:
            targets = []
        for each in targets:
            if _name(each) in names:
                yield each.lineno
