"""Failures of forked workers, and what other start methods say of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from envdoctor.model.trace import TIMED_OUT, Trace
from envdoctor.rules.engine.examples import instance, raised, trace, vector_view, verb
from envdoctor.rules.engine.view import View
from envdoctor.rules.hangs.hng004_step_hangs import step_hangs
from envdoctor.rules.processes.prc003_worker_died import worker_died
from envdoctor.rules.workers.vec008_fails_only_under_manager import fails_only_under_manager

ASYNC = "gymnasium-async"
MADE = instance("made", pid=7, parent=False)
PLAIN = trace(instance("made"), verb("make"), verb("reset", at=1), verb("step:20", at=2))
SPAWN = "start the workers by spawn"


def under(method: str, *events: object, manager: str = ASYNC, **outcome: object) -> Trace:
    """A plain life under a manager."""
    return trace(*events, manager=manager, start_method=method, **outcome)  # type: ignore[arg-type]


def died(method: str) -> Trace:
    """A life in which a worker died."""
    end = {"event": "worker-exit", "t": 0.0, "pid": 1, "pid_of_worker": 7, "code": -11}
    step = verb("step:20", "raised", error=raised("builtins.EOFError", ""))
    return under(method, MADE, verb("make"), end, step)


def went_well(method: str, manager: str = ASYNC) -> Trace:
    """A life under a manager in which nothing failed."""
    return under(method, MADE, verb("make"), verb("step:20", at=1), manager=manager)


def forked(played: Trace, *others: Trace) -> View:
    """The view of a life in forked workers, beside lives in other places."""
    view = vector_view(played, start_method="fork")
    return replace(view, other_places=(PLAIN, *others))


def remedy(view: View) -> str:
    """The remedy of the dead worker."""
    return next(iter(worker_died.judge(view))).remedy.text


def test_death_of_forked_worker_names_method_under_which_workers_live() -> None:
    assert remedy(forked(died("fork"), went_well("spawn"))).startswith(SPAWN)


@pytest.mark.parametrize(
    "others",
    [(), (died("spawn"),), (went_well("spawn", manager="sb3-subproc"),), (went_well("fork"),)],
    ids=["not played", "dies too", "another manager", "the same method"],
)
def test_death_without_healthy_method_names_none(others: tuple[Trace, ...]) -> None:
    assert "start the workers by" not in remedy(forked(died("fork"), *others))


def test_death_of_spawned_worker_names_no_method() -> None:
    view = replace(
        vector_view(died("spawn"), start_method="spawn"),
        other_places=(PLAIN, went_well("forkserver")),
    )
    assert "start the workers by" not in remedy(view)


def test_hang_of_forked_workers_names_method_under_which_they_go_on() -> None:
    hung = under("fork", MADE, verb("make"), outcome=TIMED_OUT, verb="step:20")
    finding = next(iter(step_hangs.judge(forked(hung, went_well("spawn")))))
    assert finding.remedy.text.startswith(SPAWN)


def test_error_in_forked_workers_names_method_under_which_there_is_none() -> None:
    error = raised("builtins.RuntimeError", "no context", function="step")
    failing = instance("step-raised", pid=7, parent=False, error=error)
    step = verb("step:20", "raised", at=2, error=error)
    both = (MADE, instance("made", pid=8, parent=False))
    played = under("fork", *both, verb("make"), verb("reset", at=1), failing, step)
    finding = next(iter(fails_only_under_manager.judge(forked(played, went_well("spawn")))))
    assert finding.remedy.text.startswith(SPAWN)
