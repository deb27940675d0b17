"""Instances that a manager builds only to read their spaces, and those that it never closes."""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.records import InstanceRecord, VerbRecord
from envdoctor.model.trace import FINISHED, Trace


def hidden_ones(played: Trace, number: int) -> Iterator[InstanceRecord]:
    """The `made` events of such instances: the first `number` that each launch builds in the
    parent.
    """
    launches = [verb.index for verb in played.records(VerbRecord, verb="make", state="began")]
    made = list(played.records(InstanceRecord, what="made", parent=True))
    for began, ended in zip(launches, [*launches[1:], len(played.events)], strict=False):
        yield from [one for one in made if began < one.index < ended][:number]


def forgotten(played: Trace, number: int) -> list[InstanceRecord]:
    """Those that were never closed."""
    closed = {event.key for event in played.records(InstanceRecord, what="closing")}
    return [one for one in hidden_ones(played, number) if one.key not in closed]


def abandoned(played: Trace) -> int:
    """How many instances in workers were not closed when their manager's close() had returned."""
    if not played.verbs("close", "ended"):
        return 0
    made = played.instances("made", parent=False)
    return len(made - played.instances("closing", parent=False))


def cut_off(played: Trace) -> int:
    """How many instances in workers had begun their close(), and were ended in the middle of it."""
    if not played.verbs("close", "ended"):
        return 0
    over = played.instances("closed") | played.instances("close-raised")
    return len(played.instances("closing", parent=False) - over)


def never_closed(trace: Trace) -> str:
    """Instances in workers were not closed when close() had returned."""
    left = abandoned(trace)
    return f"{left} instances in workers, none of them closed" if left else ""


def dropped_unclosed(trace: Trace) -> str:
    """Actors were dropped, and no instance in them was closed."""
    if trace.outcome.kind != FINISHED or trace.verbs("close"):
        return ""
    made = trace.instances("made", parent=False)
    left = made - trace.instances("closing", parent=False)
    return f"{len(left)} of {len(made)} instances never closed" if left else ""
