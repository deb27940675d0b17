"""Instances that a manager builds only to read their spaces, and those that it never closes."""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.records import InstanceRecord, VerbRecord
from envdoctor.model.trace import FINISHED, Trace


def hidden_ones(trace: Trace, number: int) -> Iterator[InstanceRecord]:
    """The `made` events of such instances: the first `number` that each launch builds in the
    parent.
    """
    launches = [verb.index for verb in trace.records(VerbRecord, verb="make", state="began")]
    made = list(trace.records(InstanceRecord, what="made", parent=True))
    for began, ended in zip(launches, [*launches[1:], len(trace.events)], strict=False):
        yield from [record for record in made if began < record.index < ended][:number]


def forgotten(trace: Trace, number: int) -> list[InstanceRecord]:
    """Those that were never closed."""
    closed = {event.key for event in trace.records(InstanceRecord, what="closing")}
    return [record for record in hidden_ones(trace, number) if record.key not in closed]


def abandoned(trace: Trace) -> int:
    """Return how many instances in workers were not closed when their manager's close() had
    returned.
    """
    if not trace.verbs("close", "ended"):
        return 0
    made = trace.instances("made", parent=False)
    return len(made - trace.instances("closing", parent=False))


def cut_off(trace: Trace) -> int:
    """Return how many instances in workers were ended in the middle of their close()."""
    if not trace.verbs("close", "ended"):
        return 0
    over = trace.instances("closed") | trace.instances("close-raised")
    return len(trace.instances("closing", parent=False) - over)


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
