"""Edits with which a close() that hides the one of a base class calls it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from envdoctor.model.errors import Frame
from envdoctor.model.remedy import LAST, Edit
from envdoctor.remedies.source import Candidate, Source, calls_inherited, own_attributes

CALL = "super().close()"


def call_hidden_close(source: Source, places: Iterable[Frame]) -> Iterator[Candidate]:
    """Edits for what methods of a base class took, whose close() uses what these methods set."""
    closing = [at for at, each in enumerate(source.chain) if "close" in each.methods]
    if len(closing) < 2 or calls_inherited(source.chain[closing[0]].methods["close"]):
        return
    owner, hidden = source.chain[closing[0]], source.chain[closing[1]]
    takers = [source.around(place) for place in places]
    used = own_attributes(hidden.methods["close"])
    bases = [each.node for each in source.chain[closing[0] + 1 :]]
    if any(each and each[0].node in bases and own_attributes(each[1]) & used for each in takers):
        yield (Edit(owner.file.path, LAST, (CALL,), owner.name, "close"),)
