"""The line of a function that makes an object of a class."""

from __future__ import annotations

import ast


def line_that_makes(text: str, line: int, name: str) -> int | None:
    """The only call of a class in the function around a line; None where it is not the only one."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return None
    functions = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.lineno <= line <= (node.end_lineno or 0)
    ]
    within: ast.AST = max(functions, key=lambda node: node.lineno) if functions else tree
    calls = (node for node in ast.walk(within) if isinstance(node, ast.Call))
    lines = [call.lineno for call in calls if name in (_name(call.func), _called(call.func))]
    return lines[0] if len(lines) == 1 else None


def _name(function: ast.expr) -> str:
    return function.id if isinstance(function, ast.Name) else ""


def _called(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else ""
