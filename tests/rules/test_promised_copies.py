"""An EzPickle that cannot be pickled, judged by its values."""

from __future__ import annotations

from envdoctor.model.finding import NOTE, Location
from envdoctor.rules.construction.mak005_instances_interfere import _optional, by_copies
from envdoctor.rules.engine.examples import fact

PLACE = {"file": "/arm.py", "line": 28, "function": "Arm.__init__"}
FAILED = {"failed": "TypeError: no default __reduce__"}


def test_argument_and_line_are_named() -> None:
    copied = fact("copied", {**FAILED, "kept": "Simulator", "place": PLACE})
    (finding,) = by_copies(_optional("copied", copied))
    assert finding.severity == NOTE
    assert finding.location == Location("/arm.py", 28, "Arm.__init__")
    assert "keeps the Simulator that it is given, which cannot be pickled" in finding.message
    assert finding.remedy.text.startswith("give EzPickle.__init__() in Arm.__init__() what the")


def test_instance_that_promises_nothing_is_not_accused() -> None:
    assert list(by_copies(_optional("copied", fact("copied", FAILED)))) == []
