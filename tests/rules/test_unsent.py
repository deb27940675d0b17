"""A training that ended because something cannot go to another process, judged by its values."""

from __future__ import annotations

from dataclasses import replace

import pytest

from envdoctor.model.finding import WARNING, Finding, Location
from envdoctor.model.training import Handed, Training, TrainingProcess
from envdoctor.model.training_instances import Calls, Instances, Raised
from envdoctor.rules.evidence.training import watched_view
from envdoctor.rules.evidence.training_deaths import CONNECTION
from envdoctor.rules.training.trn004_process_died import process_died

MAIN = Location("/train.py", 23, "main")
ARM = Instances(1, 1, "arm.Arm", Location("/train.py", 14), step=Calls(41, 41))
REDUCED = Location("/lab.py", 11, "__reduce__")
ERROR = Raised("TypeError", "cannot pickle 'Lab' object", REDUCED, "send", called_at=MAIN)


def _finding(error: Raised, handed: Handed | None = None) -> Finding:
    trainer = TrainingProcess(1, code=1, ended=9.0, raised=error, handed=handed)
    (finding,) = process_died.judge(watched_view(Training((), 1, 1, 9.0, (trainer,), (ARM,))))
    return finding


def test_environment_is_named_with_the_line_that_sends_it() -> None:
    finding = _finding(replace(ERROR, unfollowed="Arm.lab"))
    assert finding.severity == WARNING
    assert finding.location == MAIN
    assert "train.py:23 in main sends Arm, whose lab cannot be pickled, to another" in str(finding)
    assert "let each process make its own Arm" in finding.remedy.text


def test_script_is_named_where_its_line_is_not_known() -> None:
    finding = _finding(replace(ERROR, called_at=None))
    assert finding.message.endswith(", after 41 steps: the script sends it to another process")


def test_something_else_is_to_be_made_in_the_process_that_needs_it() -> None:
    finding = _finding(ERROR)
    assert "train.py:23 in main sends it to another process" in str(finding)
    assert finding.remedy.text.startswith("send what it is made from")


def test_instances_in_place_of_functions_stay_the_cause() -> None:
    handed = Handed("SubprocVecEnv", "Arm", 2, "TypeError", "cannot pickle 'Lab' object")
    finding = _finding(replace(ERROR, unfollowed="Arm.lab"), handed)
    assert "which takes functions that make them" in str(finding)
    assert "sends" not in str(finding)


@pytest.mark.parametrize(
    ("worker", "arm", "is_known"),
    [
        ({}, {}, True),
        ({"code": -15}, {}, True),  # it was asked to end after its own code had ended
        ({"code": -15}, {"closed": 1}, True),  # it gives back what it has where it ends
        ({"code": -15, "exits": None}, {}, False),  # it was asked before
        ({"exits": 6.0}, {"closed": 1}, False),  # the trainer raised before
    ],
    ids=str,
)
def test_worker_that_cannot_send_is_the_cause_of_what_the_trainer_raises(
    worker: dict[str, float], arm: dict[str, int], is_known: bool
) -> None:
    lost = replace(ERROR, message="Can't pickle local object 'make.<locals>.<lambda>'")
    lost = replace(lost, unfollowed="EnvSpec.kwargs['reward']")
    ask = Raised("EOFError", "", MAIN, within=CONNECTION, at=5.0)
    trainer = TrainingProcess(1, code=1, ended=9.0, raised=ask, exits=5.1)
    changes = {"code": 1, "exits": 4.0, **worker}
    own = replace(TrainingProcess(2, 1, "", "fork", ended=5.3, raised=lost), **changes)  # type: ignore[arg-type]
    instances = (replace(ARM, pid=2, **arm),)  # type: ignore[arg-type]
    (finding,) = process_died.judge(
        watched_view(Training((), 1, 1, 9.0, (trainer, own), instances))
    )
    sends = "train.py:23 in main sends EnvSpec, whose kwargs['reward'] cannot be pickled"
    assert (sends in str(finding)) == is_known
    assert ("functools.partial()" in finding.remedy.text) == is_known


def test_worker_that_raises_after_another_one_is_no_cause() -> None:
    ask = Raised("EOFError", "", MAIN, within=CONNECTION, at=5.0)
    trainer = TrainingProcess(1, code=1, ended=9.0, raised=ask, exits=5.1)
    first = TrainingProcess(2, 1, "", "fork", code=1, ended=4.3, raised=ERROR, exits=4.0)
    second = replace(first, pid=3, code=-15, ended=5.3, exits=4.9)
    instances = (replace(ARM, pid=2), replace(ARM, pid=3))
    training = Training((), 1, 1, 9.0, (trainer, first, second), instances)
    (finding,) = process_died.judge(watched_view(training))
    assert finding.evidence["pid"] == 2
