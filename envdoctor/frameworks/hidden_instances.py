"""Instances that a manager builds only to read their spaces."""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.events import Event
from envdoctor.model.trace import Trace


def hidden_ones(played: Trace, number: int) -> Iterator[Event]:
    """The `made` events of such instances: the first `number` that each launch builds in the
    parent.
    """
    left = 0
    for event in played.events:
        if event["event"] == "verb" and (event["verb"], event["state"]) == ("make", "began"):
            left = number
        elif (
            left
            and event["event"] == "instance"
            and event["what"] == "made"
            and event.get("parent")
        ):
            left -= 1
            yield event


def forgotten(played: Trace, number: int) -> list[Event]:
    """Those that were never closed."""
    closed = {(event["pid"], event["serial"]) for event in played.of("instance", what="closing")}
    return [
        event
        for event in hidden_ones(played, number)
        if (event["pid"], event["serial"]) not in closed
    ]


def abandoned(played: Trace) -> int:
    """How many instances in workers were not closed when their manager's close() had returned."""
    if not played.verbs("close", "ended"):
        return 0
    made = played.instances("made", parent=False)
    return len(made - played.instances("closing", parent=False))
