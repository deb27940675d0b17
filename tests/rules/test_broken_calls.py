"""Calls that another instance, or a copy, breaks."""

from __future__ import annotations

import pytest

from envdoctor.model.events import Event
from envdoctor.model.records import VerbRecord
from envdoctor.rules.engine.examples import direct_view, raised, trace, verb
from envdoctor.rules.evidence.broken_calls import only_since_the_copy
from envdoctor.rules.processes.prc002_zombies_after_manager_close import (
    zombies_after_manager_close,
)

STEP = verb("step:3", "raised", at=4, error=raised(function="step"))
COPIED = (verb("make"), verb("reset", at=1), verb("step:3", at=2), verb("copy", at=3), STEP)


@pytest.mark.parametrize(
    ("alone", "events", "is_the_copys"),
    [
        ((verb("make"), verb("step:20", at=2)), COPIED, True),
        ((verb("make"), verb("step:20", "raised", at=2)), COPIED, False),
        ((verb("make"), verb("step:20", at=2)), COPIED[:3] + COPIED[4:], False),
    ],
    ids=["comes back alone", "raises alone", "was not copied"],
)
def test_call_is_broken_by_the_copy(
    alone: tuple[Event, ...], events: tuple[Event, ...], is_the_copys: bool
) -> None:
    copied = trace(*events, name="copied")
    (failed,) = copied.records(VerbRecord, state="raised")
    assert only_since_the_copy(direct_view(trace(*alone)), copied, failed) is is_the_copys


def test_life_without_readings_leaves_no_zombies() -> None:
    assert not list(zombies_after_manager_close.judge(direct_view(trace(verb("make")))))
