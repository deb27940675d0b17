"""The line of a step() that sets a count of the episode's steps back."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envdoctor.discovery.syntax import parsed

Function = ast.FunctionDef | ast.AsyncFunctionDef


def set_back_at(text: str, line: int, key: str) -> int:
    """The line at which the function that begins at a `line` sets back the attributes that it
    returns by a `key` of the infos, its last part ("l" of "episode.l"); 0 where none shows.
    """
    tree = parsed(text)
    functions = (each for each in ast.walk(tree) if isinstance(each, Function))
    function = next((each for each in functions if line in _beginnings(each)), None)
    if function is None:
        return 0
    name = key.rpartition(".")[2]
    counts = {
        attribute
        for known, value in _values(function)
        if known == name
        for attribute in _attributes(value)
    }
    statements = (each for each in ast.walk(function) if isinstance(each, ast.stmt))
    return min((each.lineno for each in statements if _sets_back(each, counts)), default=0)


def _beginnings(function: Function) -> tuple[int, ...]:
    """The lines at which a function begins: Python counts its decorators."""
    return function.lineno, *(each.lineno for each in function.decorator_list)


def _values(function: Function) -> Iterator[tuple[str, ast.expr]]:
    """The values that a function puts into dicts, with their keys."""
    for node in ast.walk(function):
        if isinstance(node, ast.Dict):
            pairs = zip(node.keys, node.values, strict=True)
            yield from ((_constant(key), value) for key, value in pairs)
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                for place, value in _assigned(target, node.value):
                    if isinstance(place, ast.Subscript):
                        yield _constant(place.slice), value


def _constant(node: ast.expr | None) -> str:
    return str(node.value) if isinstance(node, ast.Constant) else ""


def _assigned(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """The places of an assignment, each with its value; those of a, b = c, d one by one."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        yield from zip(target.elts, value.elts, strict=False)
    else:
        yield target, value


def _attributes(node: ast.expr) -> Iterator[str]:
    """The attributes of `self` in an expression."""
    for each in ast.walk(node):
        if isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name):
            yield each.attr


def _sets_back(node: ast.stmt, counts: set[str]) -> bool:
    """Return whether a statement gives counts another value, and does not only add to them."""
    targets: list[ast.expr] = list(node.targets) if isinstance(node, ast.Assign) else []
    if isinstance(node, ast.AugAssign) and not isinstance(node.op, ast.Add):
        targets = [node.target]
    return any(not counts.isdisjoint(_stored(each)) for each in targets)


def _stored(target: ast.expr) -> Iterator[str]:
    """The attributes that are assigned, or whose parts are."""
    if isinstance(target, ast.Tuple):
        for each in target.elts:
            yield from _stored(each)
    elif isinstance(target, ast.Subscript):
        yield from _stored(target.value)
    elif isinstance(target, ast.Attribute):
        yield target.attr
