"""TRN004 where a call raised in a worker, and its vectorizer raised that again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from envdoctor.model.finding import WARNING, Finding, Location
from envdoctor.model.training import Training, TrainingProcess
from envdoctor.model.training_instances import Calls, Instances, Raised
from envdoctor.rules.evidence.training import watched_view
from envdoctor.rules.training.trn004_process_died import process_died

RAISED = Raised("ZeroDivisionError", "lost", Location("/arm.py", 22, "step"), "step")
#: As Gymnasium's vectorizer ends a worker: its environment is closed, and its exit code is 0.
ARM = Instances(
    2, 1, "arm.Arm", Location("/train.py", 9), raised=1, closed=1, error=RAISED, step=Calls(41, 41)
)
AGAIN = Raised("ZeroDivisionError", "lost", Location("/train.py", 61, "ask"), within="vector", at=5)


def said(*instances: Instances, error: Raised = AGAIN) -> Finding:
    trainer = TrainingProcess(1, code=1, ended=9.0, raised=error, exits=5.1)
    worker = TrainingProcess(2, 1, started="fork", code=0, ended=5.0)
    training = Training((), 1, 1, 9.0, (trainer, worker), tuple(instances))
    (finding,) = process_died.judge(watched_view(training))
    return finding


def test_line_of_the_worker_is_named_and_that_of_the_trainer() -> None:
    finding = said(ARM)
    assert finding.message == (
        "the training ended by ZeroDivisionError: lost (arm.py:22 in step), which step() of Arm"
        " raised in a worker and the trainer got at train.py:61 in ask, after 41 steps"
    )
    assert (finding.severity, finding.location) == (WARNING, RAISED.location)


@pytest.mark.parametrize("changes", [{"type": "KeyError"}, {"message": "gone"}], ids=str)
def test_exception_that_is_another_one_is_the_trainers(changes: dict[str, str]) -> None:
    error = replace(AGAIN, **changes)  # type: ignore[arg-type]
    assert "worker" not in said(ARM, error=error).message


def test_exception_of_the_trainers_own_instance_is_no_workers() -> None:
    assert "worker" not in said(replace(ARM, pid=1)).message


def test_exception_of_an_instance_that_went_on_is_not_it() -> None:
    assert "worker" not in said(replace(ARM, since=3)).message
