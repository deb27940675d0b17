"""Known behavior of managers, by version, against the results of a control."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from envdoctor.model.facts import ExpectedBehavior, Known
from envdoctor.model.facts.decoding import decoded
from envdoctor.model.trace import Trace
from envdoctor.rules.engine.examples import fact, instance, trace, vector_view, verb
from envdoctor.rules.engine.registry import all_rules
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.expectations import Unlike, differences, expected, version_of

NEW, OLD = {"closes_again": False, "pins": (2, 2)}, {"closes_again": True}
SURVEY: dict[str, Any] = {
    "managers": {"gymnasium-async": {"hidden": 1, "expected": [["1.2", NEW], ["1.0", OLD]]}}
}


def view(version: str, *control: Trace) -> View:
    survey = {**SURVEY, "frameworks": {"gymnasium": version}}
    theirs = (
        View("Sick-v0", "gymnasium-async", "spawn", control, Known.decode(survey))
        if control
        else None
    )
    plain = vector_view(**survey)
    return View(plain.subject, plain.manager, plain.start_method, (), plain.survey, theirs)


def control(pinned: int = 6, parents: int = 1, closed_twice: bool = False) -> Trace:
    made = [instance("made", serial) for serial in range(parents)] + [
        instance("made", pid=pid, parent=False) for pid in (7, 8)
    ]
    closed = [instance("closing", pid=pid, parent=False) for pid in (7, 8)] * (
        2 if closed_twice else 1
    )
    return trace(
        *made,
        verb("make"),
        *closed,
        fact("pinned", pinned),
        verb("close"),
        manager="gymnasium-async",
        start_method="spawn",
        control=True,
    )


@pytest.mark.parametrize(
    ("version", "row"),
    [("1.4.0", NEW), ("1.2.0a1", NEW), ("1.1.1", OLD), ("0.29.1", {}), ("", {})],
    ids=["newest", "draft", "older", "old", "none"],
)
def test_the_row_of_the_installed_version(version: str, row: dict[str, Any]) -> None:
    assert expected(view(version)) == replace(decoded(ExpectedBehavior, row), hidden=1)


def test_versions() -> None:
    assert version_of("2.9.2") > version_of("2.9") > version_of("2.8.10")
    assert version_of("1.0.0rc1") == (1, 0, 0)


def test_a_control_that_bears_the_table_out() -> None:
    assert differences(view("1.4.0", control())) == []
    assert differences(view("1.4.0")) == []


def test_a_control_that_does_not() -> None:
    told = differences(view("1.4.0", control(pinned=4, parents=3, closed_twice=True)))
    assert told == [
        Unlike("hidden", 1, 3),
        Unlike("closes_again", False, True),
        Unlike("pins", 6, 4),
    ]


def test_a_difference_is_a_note_on_the_manager() -> None:
    (finding,) = all_rules()["DOC004"].judge(view("1.4.0", control(pinned=4)))
    assert (finding.severity, finding.blame) == ("note", "manager")
    assert (
        finding.message
        == "gymnasium-async is not as it is known here: descriptors kept after close() until"
        " collection: expected 6, seen 4"
    )
    assert not list(all_rules()["DOC004"].judge(view("1.4.0", control())))
