"""Edits that end what a shell has started, together with the shell."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envdoctor.discovery.syntax import argument
from envdoctor.model.errors import Frame
from envdoctor.model.remedy import Edit
from envdoctor.remedies.needing import needed
from envdoctor.remedies.source import (
    Source,
    assignments,
    called,
    instead,
    own_attribute,
    replaced,
)

Candidate = tuple[Edit, ...]
SIGNALS = {"terminate": "signal.SIGTERM", "kill": "signal.SIGKILL"}


def end_group(place: Frame, source: Source) -> Iterator[Candidate]:
    """Edits with which a shell leads a group of processes, and the methods that end the shell end
    its group.
    """
    around, statement = source.around(place), source.statement_at(place)
    if around is None or statement is None:
        return
    owner, method = around
    call = next((node for node in ast.walk(statement) if _is_shell(node)), None)
    if call is None:
        return
    assert isinstance(call, ast.Call)
    names = {own_attribute(target) for target, value in assignments(statement) if value is call}
    if isinstance(statement, ast.Return):
        names = {
            own_attribute(target)
            for each in source.chain
            for node in ast.walk(each.node)
            for target, value in assignments(node)
            if called(value) == method.name
        }
    endings = [edit for name in names - {""} for edit in _endings(name, source)]
    begun = f"{owner.file.text_of(call)[:-1].rstrip().rstrip(',')}, start_new_session=True)"
    leading = replaced(owner.file, [(call, begun)])
    if endings and leading:
        yield (*leading, *endings)


def _is_shell(node: ast.AST) -> bool:
    """Return True for a Popen of a shell that stays in the group of its parent."""
    if called(node) != "Popen" or not isinstance(node, ast.Call):
        return False
    own = {"start_new_session", "preexec_fn", "process_group"}
    shell = argument(node, "shell", 8)
    is_plain = own.isdisjoint(str(keyword.arg) for keyword in node.keywords)
    return is_plain and isinstance(shell, ast.Constant) and shell.value is True


def _endings(name: str, source: Source) -> Iterator[Edit]:
    """The calls of terminate() and kill() that become signals to the whole group."""
    for owner in source.chain:
        for node in ast.walk(owner.node):
            signal = _signal(node, name)
            if signal:
                assert isinstance(node, ast.stmt)
                lines = (
                    "with contextlib.suppress(ProcessLookupError):",
                    f"    os.killpg(self.{name}.pid, {signal})",
                )
                yield instead(owner.file, node, lines)
                yield from needed(owner.file, lines)


def _signal(node: ast.AST, name: str) -> str:
    call = node.value if isinstance(node, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return ""
    return SIGNALS.get(call.func.attr, "") if own_attribute(call.func.value) == name else ""
