"""The line of a function that makes an object of a class."""

from __future__ import annotations

import ast

from envdoctor.discovery.syntax import parsed


def line_that_makes(text: str, line: int, name: str) -> int | None:
    """The only call of a class in the function around a line; None where it is not the only one."""
    tree = parsed(text)
    functions = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.lineno <= line <= (node.end_lineno or 0)
    ]
    within: ast.AST = max(functions, key=lambda node: node.lineno) if functions else tree
    calls = (node for node in ast.walk(within) if isinstance(node, ast.Call))
    lines = [each.lineno for each in calls if ast.unparse(each.func).rpartition(".")[2] == name]
    return lines[0] if len(lines) == 1 else None
