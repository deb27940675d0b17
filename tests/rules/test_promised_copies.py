"""Objects that promise to be copied and cannot be, judged by their values."""

from __future__ import annotations

import pytest

from envdoctor.model.environment_aims import CopyWhole
from envdoctor.model.errors import Frame
from envdoctor.model.failure_aims import KeepArguments, MakeAnew
from envdoctor.model.finding import NOTE, Finding, Location, Remedy
from envdoctor.rules.construction.mak005_instances_interfere import _optional, by_copies
from envdoctor.rules.engine.examples import fact, trace
from envdoctor.rules.evidence.copies import still_refused

PLACE = {"file": "/arm.py", "line": 28, "function": "Arm.__init__"}
FAILED = {"failed": "TypeError: no default __reduce__"}


def test_argument_and_line_are_named() -> None:
    copied = fact("copied", {**FAILED, "kept": "Simulator", "place": PLACE})
    (finding,) = by_copies(_optional("copied", copied))
    assert finding.severity == NOTE
    assert finding.location == Location("/arm.py", 28, "Arm.__init__")
    assert "keeps the Simulator that it is given, which cannot be pickled" in finding.message
    assert finding.remedy.text.startswith("give EzPickle.__init__() in Arm.__init__() what the")
    assert finding.remedy.aim == KeepArguments(Frame("/arm.py", 28))


def test_instance_that_promises_nothing_is_not_accused() -> None:
    assert list(by_copies(_optional("copied", fact("copied", FAILED)))) == []


def test_object_that_is_made_anew_with_other_arguments_is_named() -> None:
    told = {"failed": "TypeError: make() takes 1", "unmade": "Generator", "maker": "make"}
    (finding,) = by_copies(_optional("copied", fact("copied", {**told, "place": PLACE})))
    assert finding.severity == NOTE
    assert finding.location == Location("/arm.py", 28, "Arm.__init__")
    assert "make(), by which a Generator is made anew, does not take the arg" in finding.message
    assert "TypeError: make() takes 1" in finding.message
    assert "__reduce__() of Generator" in finding.remedy.text
    assert finding.remedy.aim == MakeAnew("Generator", Frame("/arm.py", 28))


@pytest.mark.parametrize(
    ("aim", "failed", "refused"),
    [
        (CopyWhole(), "TypeError: cannot pickle 'MjSim' object", True),
        (CopyWhole(), None, False),
        (None, "TypeError: cannot pickle 'MjSim' object", False),
    ],
    ids=["a state that cannot be pickled", "a copy that goes on", "the cure of something else"],
)
def test_copy_that_cannot_be_made_is_no_cure(
    aim: CopyWhole | None, failed: str | None, refused: bool
) -> None:
    remedy = Remedy("let a copy have all of it.", aim=aim)
    finding = Finding("MAK005", "instances-interfere", NOTE, "it differs", remedy=remedy)
    copied = trace(fact("copied", {"failed": failed}), name="copied")
    assert still_refused([finding], [copied]) is refused
