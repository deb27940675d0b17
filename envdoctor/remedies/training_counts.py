"""Code for counts of an episode that a script's step() keeps."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envdoctor.model.training_aims import SetBackAtEnd
from envdoctor.remedies.source import Candidate, File, Function, Source, innermost, replaced

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
RESULTS, TRUNCATED = 5, 3  # of step(): how many, and the place of what says that time was up
OPEN = (ast.BoolOp, ast.IfExp, ast.Lambda, ast.NamedExpr)  # that need parentheses before `or`


def set_back_at_end(aim: SetBackAtEnd, source: Source) -> Iterator[Candidate]:
    """Edits of the condition under which a line sets counts back: `or truncated`, by the name that
    step() has for it. Cases: `if terminated:`, `self.lengths *= 1 - over` and
    `self.lengths[over] = 0`.
    """
    file = source.files.get(aim.place.file)
    statement = innermost(file, aim.place.line) if file else None
    function = _around(file, aim.place.line, FUNCTIONS) if file else None
    truncated = _truncated(function) if isinstance(function, FUNCTIONS) else ""
    if file is None or statement is None or function is None or not truncated:
        return
    over = _condition(statement)
    if over is not None:
        known = map(_condition, ast.walk(function))
        same = [each for each in known if each is not None and each.id == over.id]
        yield replaced(file, [(each, f"({over.id} | {truncated})") for each in same])
        return
    branch = _around(file, aim.place.line, (ast.If,))
    if isinstance(branch, ast.If) and branch.lineno > function.lineno:
        test = file.text_of(branch.test)
        test = f"({test})" if isinstance(branch.test, OPEN) else test
        yield replaced(file, [(branch.test, f"{test} or {truncated}")])


def _around(file: File, line: int, kinds: tuple[type[ast.stmt], ...]) -> ast.stmt | None:
    """The innermost statement of some kinds around a line."""
    known = (node for node in ast.walk(file.tree) if isinstance(node, kinds))
    around = [node for node in known if node.lineno < line <= (node.end_lineno or 0)]
    return max(around, key=lambda each: each.lineno, default=None)


def _truncated(function: Function) -> str:
    """The name in a function of what the step() that it calls returns as truncated."""
    for node in ast.walk(function):
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        if isinstance(target, ast.Tuple) and len(target.elts) == RESULTS:
            name = target.elts[TRUNCATED]
            return name.id if isinstance(name, ast.Name) else ""
    return ""


def _condition(statement: ast.AST) -> ast.Name | None:
    """The name of the ends in `x *= 1 - over` and `x[over] = 0`."""
    value: ast.expr | None = None
    if isinstance(statement, ast.AugAssign) and isinstance(statement.op, ast.Mult):
        rest = statement.value
        value = rest.right if isinstance(rest, ast.BinOp) and isinstance(rest.op, ast.Sub) else None
    elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Subscript):
        value = statement.targets[0].slice
    return value if isinstance(value, ast.Name) else None
