"""What TRN004 says of a step() that raises after the end of an episode."""

from __future__ import annotations

from dataclasses import replace

import pytest

from envdoctor.model.errors import Frame
from envdoctor.model.facts.decoding import decoded
from envdoctor.model.finding import Finding, Location
from envdoctor.model.remedy import Aim
from envdoctor.model.training import Training, TrainingProcess
from envdoctor.model.training_aims import EndEpisode, MendFailure
from envdoctor.model.training_ends import RunOn
from envdoctor.model.training_instances import Calls, Instances, Raised
from envdoctor.rules.evidence.training import watched_view
from envdoctor.rules.training.trn004_process_died import process_died

LINE = Location("/train.py", 55, "main")
ERROR = Raised("RuntimeError", "reset it", Location("/motor.py", 25, "step"), "step")
ENDED = RunOn(1, 1, 1, ("terminated",), LINE, is_over=True)
RESET = "reset it where its episode has ended"


def ended(run_on: RunOn | None, error: Raised = ERROR) -> Finding:
    """The finding on a script that ended by what a call raised."""
    calls = {"make": Calls(1, 1), "reset": Calls(1, 1), "step": Calls(67, 67)}
    motor = Instances(1, 1, "motor.Motor", raised=1, error=error, run_on=run_on, **calls)
    trainer = TrainingProcess(1, code=1, raised=error)
    view = watched_view(Training((), 1, 1, 9.0, (trainer,), (motor,)))
    (finding,) = process_died.judge(view)
    return finding


def said(run_on: RunOn | None, error: Raised = ERROR) -> tuple[str, str]:
    finding = ended(run_on, error)
    return finding.message, finding.remedy.text


def said_aim(run_on: RunOn | None, error: Raised = ERROR) -> Aim | None:
    return ended(run_on, error).remedy.aim


def test_step_that_raises_after_an_end_is_named_with_the_line_that_calls_it() -> None:
    message, remedy = said(ENDED)
    assert "Motor, which had returned terminated and was not reset before train.py:55" in message
    assert remedy.startswith(RESET)
    assert "`if terminated or truncated: observation, info = env.reset()`" in remedy
    assert "`if done: observation = env.reset()`" in said(replace(ENDED, by=("done",)))[1]


@pytest.mark.parametrize(
    ("run_on", "error"),
    [
        (None, ERROR),
        (replace(ENDED, is_over=False), ERROR),  # a reset() came after it
        (replace(ENDED, location=None), ERROR),  # a wrapper is between
        (ENDED, replace(ERROR, method="reset")),
    ],
)
def test_other_calls_that_raise_are_not_after_an_end(run_on: RunOn | None, error: Raised) -> None:
    message, remedy = said(run_on, error)
    assert "returned" not in message
    assert RESET not in remedy


def test_recorded_calls_after_an_end_are_read_as_they_were() -> None:
    data = {**vars(ENDED), "by": ["terminated"], "location": vars(LINE)}
    assert decoded(RunOn, data) == ENDED


def test_training_that_a_step_after_an_end_ended_is_reset_there() -> None:
    aim = said_aim(ENDED)
    assert aim == EndEpisode(Frame("/train.py", 55), failed=True)
    assert said_aim(replace(ENDED, by=("done",))) == replace(aim, is_old=True)
    assert said_aim(replace(ENDED, is_over=False)) is None
    closed = said_aim(ENDED, replace(ERROR, closed_at=LINE))
    assert closed == MendFailure(Frame("/train.py", 55), "owner")
