"""Edits of a loop that waits for a thread: it looks at what the loop of the thread looks at."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envdoctor.discovery.syntax import argument
from envdoctor.model.training_aims import LeaveWait
from envdoctor.remedies.source import (
    Candidate,
    File,
    OwningClass,
    Source,
    assignments,
    called,
    innermost,
    last_name,
    own_attribute,
    own_attributes,
    replaced,
)

THREAD = "Thread"


def leave_wait(aim: LeaveWait, source: Source) -> Iterator[Candidate]:
    """`while self.viewer.asked and self.viewer.is_open:` for `while self.viewer.asked:`, where the
    thread of the viewer runs `while self.is_open:`.
    """
    file = source.files.get(aim.place.file)
    runner = _runner(source, aim)
    loop = _waiting_loop(file, aim.place.line) if file else None
    if file is None or loop is None or runner is None:
        return
    owner, condition = runner
    own = {
        own_attribute(target) for node in ast.walk(owner.node) for target, _ in assignments(node)
    }
    holders = {
        file.text_of(node.value)
        for node in ast.walk(loop.test)
        if isinstance(node, ast.Attribute) and node.attr in own - {""}
    }
    holder = holders.pop() if len(holders) == 1 else ""
    if not holder or any(_is_looked_at(loop, name) for name in own_attributes(condition)):
        return
    text = owner.file.text_of(condition).replace("self.", f"{holder}.")
    parts = [_operand(file.text_of(loop.test), loop.test), _operand(text, condition)]
    yield replaced(file, [(loop.test, " and ".join(parts))])


def _waiting_loop(file: File, line: int) -> ast.While | None:
    """The innermost loop around a line."""
    statement = innermost(file, line)
    loops = [
        node
        for node in ast.walk(file.tree)
        if isinstance(node, ast.While) and not node.orelse
        if any(statement is each for inner in node.body for each in ast.walk(inner))
    ]
    return max(loops, key=lambda node: node.lineno, default=None)


def _runner(source: Source, aim: LeaveWait) -> tuple[OwningClass, ast.expr] | None:
    """The class whose method the thread runs, and the condition of the loop that this is: of the
    attributes of the instance alone.
    """
    file, statement = source.files.get(aim.other.file), source.statement_at(aim.other)
    targets = {
        last_name(argument(node, "target"))
        for node in ast.walk(statement or ast.Pass())
        if isinstance(node, ast.Call) and called(node) == THREAD
    }
    name = targets.pop() if len(targets) == 1 else ""
    if file is None or not name:
        return None
    classes = [OwningClass(file, node) for node in file.classes.values()]
    owners = [each for each in classes if name in each.methods]
    method = owners[0].methods[name] if len(owners) == 1 else None
    loops = [each for each in method.body if isinstance(each, ast.While)] if method else []
    condition = loops[0].test if len(loops) == 1 else None
    if condition is None or not own_attributes(condition):
        return None
    names = {node.id for node in ast.walk(condition) if isinstance(node, ast.Name)}
    has_calls = any(isinstance(node, ast.Call) for node in ast.walk(condition))
    return (owners[0], condition) if names == {"self"} and not has_calls else None


def _is_looked_at(loop: ast.While, name: str) -> bool:
    """Return True where the waiting loop looks at an attribute of this name already."""
    return any(isinstance(n, ast.Attribute) and n.attr == name for n in ast.walk(loop.test))


def _operand(text: str, node: ast.expr) -> str:
    is_loose = isinstance(node, ast.BoolOp | ast.IfExp | ast.NamedExpr)
    is_and = isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And)
    return f"({text})" if is_loose and not is_and else text
