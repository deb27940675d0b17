"""Calls that another instance, or a copy, breaks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from envdoctor.model.events import Event
from envdoctor.rules.engine.examples import direct_view, fact, raised, trace, verb
from envdoctor.rules.evidence.copies import copy_troubles
from envdoctor.rules.processes.prc002_zombies_after_manager_close import (
    zombies_after_manager_close,
)

UNCHANGED = {"calls": 9, "unknown": [], "difference": None}
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
    same = {"alone": UNCHANGED, "instances": [UNCHANGED]}
    facts = (fact("copied", {"failed": None}), fact("side-by-side", same))
    copied = trace(*events, *facts, name="copied")
    view = replace(direct_view(trace(*alone)), optional_traces=(copied,))
    assert bool([each.message for each in copy_troubles(view)]) is is_the_copys


def test_life_without_readings_leaves_no_zombies() -> None:
    assert not list(zombies_after_manager_close.judge(direct_view(trace(verb("make")))))
