"""Reading one line of the subject's source: which attribute it sets, calls or mentions. What is not plain is not guessed."""

from __future__ import annotations

import ast
from dataclasses import dataclass

UNFINISHED = ("", ")", "))", ")))", "])", "})", '""")')  # what a line may lack to be a statement: calls go on below


@dataclass(frozen=True)
class Use:
    """`self.NAME = CALL(...)` (sets), or `self.NAME.CALL(...)`. `call` is the last name of what is called, `of` the one before it
    (`os` of `os.open`), `inner` the name of a call in the place of the first argument, `stop` the attribute that holds an event to end a thread with.
    """

    name: str
    call: str
    of: str = ""
    inner: str = ""
    sets: bool = False
    stop: str = ""


def use_in(text: str) -> Use | None:
    """What a line does with an attribute of `self`, or None where that is not plain."""
    statement = _statement(text)
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        function = statement.value.func
        name = _own_attribute(function.value) if isinstance(function, ast.Attribute) else ""
        return Use(name, function.attr) if name and isinstance(function, ast.Attribute) else None
    target, value = _assignment(statement)
    name = _own_attribute(target)
    if not name or not isinstance(value, ast.Call):
        return None
    inner = value.args[0].func if value.args and isinstance(value.args[0], ast.Call) else None
    return Use(name, _last(value.func), _before_last(value.func), _last(inner), sets=True)


def single_attribute(text: str) -> str:
    """The one attribute of `self` that a whole plain statement mentions: `_client` of `self._client.disconnect()`; else nothing."""
    statement = _statement(text, ("",))
    if not isinstance(statement, (ast.Expr, ast.Delete)):
        return ""
    names = {name for node in ast.walk(statement) for name in [_own_attribute(node)] if name}
    called = {_own_attribute(node.func) for node in ast.walk(statement) if isinstance(node, ast.Call)}  # a method of its own holds nothing
    return names.pop() if len(names) == 1 and not names & called else ""


def is_statement(text: str) -> bool:
    """Whether the line is a whole statement that could be indented, and that does not leave its function."""
    return isinstance(_statement(text, ("",)), (ast.Expr, ast.Assign, ast.AugAssign, ast.Delete))


def _statement(text: str, endings: tuple[str, ...] = UNFINISHED) -> ast.stmt | None:
    for ending in endings:
        try:
            body = ast.parse(text.strip() + ending).body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        return body[0] if len(body) == 1 else None
    return None


def _assignment(statement: ast.stmt | None) -> tuple[ast.expr | None, ast.expr | None]:
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        return statement.targets[0], statement.value
    if isinstance(statement, ast.AnnAssign):
        return statement.target, statement.value
    return None, None


def _own_attribute(node: ast.AST | None) -> str:
    own = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
    return node.attr if own and isinstance(node, ast.Attribute) else ""


def _last(node: ast.AST | None) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _before_last(node: ast.AST) -> str:
    return _last(node.value) if isinstance(node, ast.Attribute) else ""
