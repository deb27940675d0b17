"""Loops of a script that play one episode, and end only where that has ended."""

from __future__ import annotations

import ast
from collections.abc import Iterator

Function = ast.FunctionDef | ast.AsyncFunctionDef
_OF_ITS_OWN = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_NAMES = (ast.Name, ast.Attribute, ast.Subscript, ast.expr_context, ast.Constant)
_FLAGS = (*_NAMES, ast.BoolOp, ast.boolop, ast.UnaryOp, ast.Not)


def step_of_episode(text: str, line: int) -> tuple[int, str] | None:
    """The line that calls step() in the innermost such loop around a line, and its function; None
    where there is none.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return None
    statements = (node for node in ast.walk(tree) if isinstance(node, ast.stmt))
    around = [node for node in statements if node.lineno <= line <= (node.end_lineno or 0)]
    function = next((node for node in reversed(around) if isinstance(node, Function)), None)
    inner = [node for node in around if function is None or node.lineno > function.lineno]
    loop = next((node for node in reversed(inner) if isinstance(node, ast.While)), None)
    if loop is None:
        return None
    steps = list(_calls(loop, "step"))
    begins = [call.lineno for call in _calls(function or tree, "reset")]
    is_one = any(at < loop.lineno for at in begins) and not list(_calls(loop, "reset"))
    if not steps or not is_one or not _is_flag(loop.test, is_negated=True):
        return None
    if not all(map(_leaves_by_flag, loop.body)):
        return None
    return steps[0].lineno, function.name if function is not None else "<module>"


def _own(node: ast.AST) -> Iterator[ast.AST]:
    """Nodes below a node, without the functions and classes that are defined there."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, _OF_ITS_OWN):
            yield child
            yield from _own(child)


def _calls(node: ast.AST, method: str) -> Iterator[ast.Call]:
    for each in _own(node):
        if isinstance(each, ast.Call) and getattr(each.func, "attr", "") == method:
            yield each


def _is_flag(test: ast.expr, is_negated: bool) -> bool:
    """Return whether a condition asks flags only, and compares no number: `not done`, `True`."""
    if isinstance(test, ast.Constant):
        return is_negated and bool(test.value)
    is_asked = not is_negated or any(isinstance(each, ast.Not) for each in ast.walk(test))
    return is_asked and all(isinstance(each, _FLAGS) for each in ast.walk(test))


def _leaves_by_flag(node: ast.stmt, is_below: bool = False) -> bool:
    """Return whether each way out of the loop that is in a statement of it is below such a flag."""
    if isinstance(node, (ast.Break, ast.Return, ast.Raise)):
        return is_below
    if isinstance(node, ast.If):
        below = is_below or _is_flag(node.test, is_negated=False)
        body = all(_leaves_by_flag(each, below) for each in node.body)
        return body and all(_leaves_by_flag(each, is_below) for each in node.orelse)
    if isinstance(node, _OF_ITS_OWN):
        return True
    if isinstance(node, (ast.For, ast.While)):  # its break ends itself
        return not any(isinstance(each, ast.Return) for each in _own(node)) or is_below
    return all(_leaves_by_flag(each, is_below) for each in _statements(node))


def _statements(node: ast.AST) -> Iterator[ast.stmt]:
    """Those right below a node, also in its handlers and cases."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            yield child
        elif isinstance(child, (ast.excepthandler, ast.match_case)):
            yield from _statements(child)
