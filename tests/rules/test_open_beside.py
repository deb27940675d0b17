"""What TRN004 says of an instance that fails at once, beside another one that is open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from envdoctor.model.finding import Location
from envdoctor.model.training import Training, TrainingProcess
from envdoctor.model.training_instances import Calls, Instances, Raised
from envdoctor.rules.evidence.training import watched_view
from envdoctor.rules.training.trn004_process_died import process_died

ERROR = Raised("PhysicsError", "not connected", Location("/kuka.py", 19, "reset"), "reset")
FIRST = Instances(1, 1, "kuka.Kuka", Location("/train.py", 27), make=Calls(1, 1))
FAILED = replace(
    FIRST, row=2, location=Location("/train.py", 31), raised=1, error=ERROR, reset=Calls(1, 1)
)
BESIDE = "the instance was made at train.py:31 while another one, made at train.py:27, was open"


def said(*instances: Instances, error: Raised = ERROR) -> tuple[str, str]:
    trainer = TrainingProcess(1, code=1, raised=error)
    (finding,) = process_died.judge(
        watched_view(Training((), 1, 1, 9.0, (trainer,), tuple(instances)))
    )
    return finding.message, finding.remedy.text


def test_other_instance_that_is_open_is_named_with_both_lines() -> None:
    message, remedy = said(FIRST, FAILED)
    assert BESIDE in message
    assert "whether one process can have two instances of Kuka" in remedy


def test_constructor_that_raises_beside_an_open_instance_is_named_too() -> None:
    error = replace(ERROR, method="make")
    failed = replace(FAILED, unmade=1, error=error, reset=Calls(), make=Calls(1, 1))
    assert BESIDE in said(FIRST, failed, error=error)[0]


@pytest.mark.parametrize(
    "changes",
    [
        {"closed": 1},
        {"gone": 1},
        {"pid": 2},
        {"type": "kuka.Other"},
        {"raised": 1},
        {"copied": True},
        {"number": 3},
    ],
    ids=str,
)
def test_other_instance_is_not_named_unless_it_was_open_there(
    changes: Mapping[str, object],
) -> None:
    assert said(replace(FIRST, **changes), FAILED)[1] == "mend what raises there."


@pytest.mark.parametrize(
    "changes", [{"reset": Calls(9, 9)}, {"step": Calls(1, 1)}, {"since": 4}], ids=str
)
def test_instance_that_worked_before_it_failed_does_not_blame_the_other(
    changes: Mapping[str, object],
) -> None:
    assert said(FIRST, replace(FAILED, **changes))[1] == "mend what raises there."


def test_third_instance_that_was_reset_beside_the_first_shows_that_a_process_can_have_two() -> None:
    third = replace(FIRST, row=3, reset=Calls(2, 2))
    assert said(FIRST, FAILED, third)[1] == "mend what raises there."
