"""A training that ended because something cannot go to another process, judged by its values."""

from __future__ import annotations

from dataclasses import replace

from envdoctor.model.finding import WARNING, Finding, Location
from envdoctor.model.training import Handed, Training, TrainingProcess
from envdoctor.model.training_instances import Calls, Instances, Raised
from envdoctor.rules.evidence.training import watched_view
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
