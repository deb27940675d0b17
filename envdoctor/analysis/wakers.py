"""Calls in a source file that end a wait of a thread for another thread of its process."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envdoctor.discovery.syntax import parsed

#: By the method that waits, those of the same object that end it.
ENDING = {
    "wait": ("notify", "notify_all", "set"),
    "wait_for": ("notify", "notify_all"),
    "acquire": ("release",),
    "get": ("put", "put_nowait"),
    "put": ("get", "get_nowait"),
}
Function = ast.FunctionDef | ast.AsyncFunctionDef


def wakers(text: str, line: int) -> tuple[tuple[int, str, str], ...]:
    """The calls that end what a line waits for, as far as they are in its file: the line of each,
    its method, and the function that it is in ("" for none).
    """
    tree = parsed(text)
    ending = {
        (receiver, method)
        for call in _calls(tree)
        if call.lineno <= line <= (call.end_lineno or 0)
        for receiver, name in [_parts(call)]
        for method in ENDING.get(name, ())
    }
    return tuple(sorted(set(_ending_calls(tree, "", ending))))


def _ending_calls(
    node: ast.AST, function: str, ending: set[tuple[str, str]]
) -> Iterator[tuple[int, str, str]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Call) and _parts(child) in ending:
            yield child.lineno, _parts(child)[1], function
        inside = child.name if isinstance(child, Function) else function
        yield from _ending_calls(child, inside, ending)


def _calls(tree: ast.AST) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def _parts(call: ast.Call) -> tuple[str, str]:
    """`self.changed` and `wait` of `self.changed.wait()`."""
    if not isinstance(call.func, ast.Attribute):
        return "", ""
    return ast.unparse(call.func.value), call.func.attr
