"""MAK004 shows a manager only where its workers do not fail as the second instance does."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from envdoctor.rules.construction.mak004_one_instance_per_process import one_instance_per_process
from envdoctor.rules.engine.examples import direct_view, instance, raised, trace, vector_view, verb
from envdoctor.rules.workers.vec001_worker_does_not_start import worker_does_not_start

IN_USE = raised("builtins.RuntimeError", "port 25005 is in use", "/home/me/unity.py", 22)
ELSEWHERE = raised("builtins.RuntimeError", "port 25005 is in use", "/home/me/unity.py", 30)
LIFE = trace(verb("make"), verb("reset", at=1), verb("close", at=3), verb("make", at=5))
TWO = trace(verb("make"), verb("make", "raised", at=1, error=IN_USE), name="two-at-once")


@pytest.mark.parametrize(
    ("start_method", "error", "parent", "is_shown"),
    [
        ("spawn", IN_USE, False, False),
        ("forkserver", IN_USE, False, False),
        ("fork", IN_USE, False, True),  # it has the modules of its parent
        ("spawn", ELSEWHERE, False, True),
        ("spawn", IN_USE, True, True),  # an instance beside the workers'
    ],
)
def test_no_manager_is_shown_whose_workers_fail_at_the_same_line(
    start_method: str, error: Any, parent: bool, is_shown: bool
) -> None:
    failed = instance("make-raised", pid=7, parent=parent, error=error)
    launch = trace(failed, manager="gymnasium-async", start_method=start_method)
    view = replace(direct_view(LIFE, TWO), other_places=(launch,))
    (finding,) = one_instance_per_process.judge(view)
    assert bool(finding.remedy.commands) is is_shown
    assert ("gymnasium-async, " in finding.remedy.text) is not is_shown


@pytest.mark.parametrize(("error", "explained"), [(IN_USE, True), (ELSEWHERE, False)])
def test_workers_that_fail_as_a_second_instance_does_are_explained_by_it(
    error: Any, explained: bool
) -> None:
    alone = trace(
        *(verb("make"), verb("reset", at=1), verb("close", at=3)),
        verb("make", "raised", at=5, error=IN_USE),
    )
    launch = trace(
        instance("make-raised", pid=7, parent=False, error=error),
        verb("make", "raised", error=error),
        manager="gymnasium-async",
        start_method="fork",
    )
    view = vector_view(launch, start_method="fork")
    (finding,) = worker_does_not_start.judge(replace(view, other_places=(alone,)))
    assert ("MAK004" in finding.explained_alone) is explained
