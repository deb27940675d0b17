"""Edits that wait for the processes that close() ends."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from envdoctor.model.environment_aims import WaitForKilled
from envdoctor.model.remedy import Edit
from envdoctor.remedies.applying import statement_text
from envdoctor.remedies.calls import BOUND
from envdoctor.remedies.source import Source, called, instead, own_attribute

Candidate = tuple[Edit, ...]
ENDS = ("kill", "terminate")
ASKS = ("wait", "communicate", "join", "poll")
WAITS = {"Popen": "wait", "Process": "join"}


def wait_for_killed(_aim: WaitForKilled, source: Source) -> Iterator[Candidate]:
    """Edits that wait for each process of an attribute that is ended and not waited for in the same
    block. What is only asked to end is waited for a bounded time.
    """
    edits: list[Edit] = []
    for owner in source.chain:
        for method in owner.methods.values():
            for block in _blocks(method):
                for at, statement in enumerate(block):
                    name, ending = _ended(statement)
                    wait = _wait_of(source, name)
                    call = "" if ending == "kill" else f"timeout={BOUND}"
                    after = block[at + 1 :]
                    if not call:  # what is waited for under a condition may not be
                        after = [each for each in after if not isinstance(each, ast.If)]
                    if not wait or _is_asked(name, after):
                        continue
                    lines = (
                        *statement_text(owner.file, statement),
                        f"self.{name}.{wait}({call})",
                    )
                    edits.append(instead(owner.file, statement, lines))
    if edits:
        yield tuple(edits)


def _blocks(method: ast.AST) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(method):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list):
                yield block


def _ended(statement: ast.stmt) -> tuple[str, str]:
    """`server`, `kill` of `self.server.kill()`."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return "", ""
    name = own_attribute(call.func.value)
    return (name, call.func.attr) if name and call.func.attr in ENDS else ("", "")


def _wait_of(source: Source, name: str) -> str:
    """The method that waits for the process that an attribute holds."""
    kinds = {called(value) for _, value in source.assigned(name)} if name else set()
    return next((wait for kind, wait in WAITS.items() if kind in kinds), "")


def _is_asked(name: str, statements: Sequence[ast.stmt]) -> bool:
    """Return True if one of the statements waits for the process, or asks whether it has ended."""
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ASKS
        and own_attribute(node.func.value) == name
        for statement in statements
        for node in ast.walk(statement)
    )
