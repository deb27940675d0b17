"""Edits with which a close() that hides the one of a base class calls it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from envdoctor.model.errors import Frame
from envdoctor.model.remedy import LAST, Edit
from envdoctor.remedies.source import Candidate, Source, calls_inherited, own_attributes

CALL = "super().close()"


def call_hidden_close(source: Source, places: Iterable[Frame]) -> Iterator[Candidate]:
    """Edits for what methods of a base class took, whose close() uses what these methods set."""
    own = ((at, each.method("close")) for at, each in enumerate(source.chain))
    closing = [(at, method) for at, method in own if method]
    if len(closing) < 2 or calls_inherited(closing[0][1]):
        return
    (at, _), (_, hidden), *_ = closing
    owner, bases = source.chain[at], [each.node for each in source.chain[at + 1 :]]
    takers, used = [source.around(place) for place in places], own_attributes(hidden)
    if any(each and each[0].node in bases and own_attributes(each[1]) & used for each in takers):
        yield (Edit(owner.file.path, LAST, (CALL,), owner.name, "close"),)
