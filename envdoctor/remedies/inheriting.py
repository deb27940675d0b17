"""Edits with which a close() that hides the one of a base class calls it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from envdoctor.model.errors import Frame
from envdoctor.model.remedy import LAST, Edit
from envdoctor.remedies.source import (
    Candidate,
    Source,
    assignments,
    calls_inherited,
    own_attribute,
    own_attributes,
)
from envdoctor.remedies.telling import ENDING

CALL = "super().close()"


def call_hidden_close(source: Source, places: Iterable[Frame]) -> Iterator[Candidate]:
    """Edits for what methods of a base class took, or an object that these make, where the close()
    of the base uses what these methods set.
    """
    own = ((at, each.method("close")) for at, each in enumerate(source.chain))
    closing = [(at, method) for at, method in own if method]
    if len(closing) < 2 or calls_inherited(closing[0][1]):
        return
    (at, _), (_, hidden), *_ = closing
    owner, bases = source.chain[at], [each.node for each in source.chain[at + 1 :]]
    used = own_attributes(hidden)
    for taker, method in filter(None, map(source.around, places)):
        held, _ = source.holder_of(taker.name)
        by_base = any(each.node in bases for each, _ in source.assigned(held))
        sets = own_attributes(method) if taker.node in bases else {held} if by_base else set()
        if not sets & used:
            continue
        yield (Edit(owner.file.path, LAST, (CALL,), owner.name, "close"),)
        return


def gives_back(source: Source, places: Iterable[Frame]) -> bool:
    """Return True if close() of a class ends what one of these lines took, or hands it on, or if a
    method does that it calls; and where the lines keep nothing in an attribute.
    """
    closing = [method for each in source.chain if (method := each.method("close"))]
    own = (own_attribute(call.func) for method in closing for call in _calls(method))
    methods = [*closing, *(each[1] for each in map(source.method, own) if each)]
    names = {
        name
        for statement in filter(None, map(source.statement_at, places))
        for name in (
            *(own_attribute(target) for target, _ in assignments(statement)),
            *(own_attribute(getattr(call.func, "value", None)) for call in _calls(statement)),
        )
    }
    ended = {_ends(call) for method in methods for call in _calls(method)}
    return not (names - {""}) or not ended.isdisjoint(names - {""})


def _ends(call: ast.Call) -> str:
    """`log` of `self.log.close()`, and of `os.close(self.log)`."""
    if isinstance(call.func, ast.Attribute) and call.func.attr in (*ENDING, "join", "unlink"):
        name = own_attribute(call.func.value)
        return name or own_attribute(call.args[0] if call.args else None)
    return own_attribute(call.args[0] if call.args else None)


def _calls(node: ast.AST) -> list[ast.Call]:
    return [each for each in ast.walk(node) if isinstance(each, ast.Call)]
