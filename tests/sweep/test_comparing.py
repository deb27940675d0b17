"""Changes between two sweeps, by values."""

from __future__ import annotations

from typing import Any

import pytest

from envdoctor.model.finding import ERROR, NOTE, WARNING, Finding, Location, Skipped
from envdoctor.model.report import INCONCLUSIVE
from envdoctor.sweep.comparing import (
    BETTER,
    GONE,
    MOVED,
    NEW,
    UNJUDGED,
    WORSE,
    FindingChange,
    compare,
)
from envdoctor.sweep.results import unjudged
from envdoctor.sweep.texts import comparison_text, summary
from tests.sweep.samples import CODES, finding, result


def change(was: tuple[Finding, ...], now: tuple[Finding, ...], **fields: Any) -> FindingChange:
    """The only change."""
    (found,) = compare([result(*was)], [result(*now, **fields)]).changes
    return found


def test_the_same_findings_are_no_change() -> None:
    found = compare([result(finding())], [result(finding(message="in other words"))])
    assert found.changes == ()
    assert summary(found) == "1 environment compared: no finding changed"


def test_new_and_gone() -> None:
    assert change((), (finding(),)).kind == NEW
    assert change((finding(),), ()).kind == GONE


def test_finding_that_was_not_judged_is_not_gone() -> None:
    skipped = Skipped("AAA001", "Crane-v0", "direct", "close() was not reached")
    found = change((finding(),), (), passed=CODES[1:], judged={"skipped": (skipped,)})
    assert (found.kind, found.words) == (UNJUDGED, ("close() was not reached",))


def test_finding_that_was_not_judged_before_may_be_older() -> None:
    (found,) = compare([result(passed=())], [result(finding())]).changes
    assert (found.kind, found.words) == (NEW, ("its rule was not judged before",))


@pytest.mark.parametrize(
    ("was", "now", "kind"),
    [
        ({"descriptors left": 1}, {"descriptors left": 2}, WORSE),
        ({"descriptors left": 2}, {"descriptors left": 1}, BETTER),
        ({"bytes per reset": 1000}, {"bytes per reset": 1050}, None),
        ({"bytes per reset": 1000}, {"bytes per reset": 4000}, WORSE),
    ],
)
def test_more_and_less_of_it(was: Any, now: Any, kind: str | None) -> None:
    found = compare([result(finding(measures=was))], [result(finding(measures=now))])
    assert [one.kind for one in found.changes] == ([kind] if kind else [])


def test_its_severity() -> None:
    worse = change((finding(severity=WARNING),), (finding(severity=ERROR),))
    assert (worse.kind, worse.words) == (WORSE, ("severity: was warning, is error",))
    assert change((finding(),), (finding(severity=NOTE),)).kind == BETTER


def test_a_line_that_moved_in_another_checkout() -> None:
    moved = Location("/srv/ci/crane.py", 14, "close")
    found = change((finding(),), (finding(location=moved),))
    assert (found.kind, found.words) == (MOVED, ("from crane.py:12 to crane.py:14",))
    same = Location("/srv/ci/crane.py", 12, "close")
    assert not compare([result(finding())], [result(finding(location=same))]).changes


def test_of_two_findings_alike_each_has_its_own() -> None:
    one, two = finding(measures={"threads left": 1}), finding(measures={"threads left": 5})
    assert not compare([result(one, two)], [result(two, one)]).changes
    (gone,) = compare([result(one, two)], [result(two)]).changes
    assert (gone.kind, gone.finding) == (GONE, one)


def test_environments_in_one_of_both_and_those_that_are_lost() -> None:
    dead = unjudged(result(spec="Dead-v0").identity, "the examination was killed", 3, 0.0)
    found = compare([result(spec="Old-v0"), result(spec="Dead-v0")], [result(spec="New-v0"), dead])
    assert (found.missing, found.appeared) == (("Old-v0",), ("New-v0",))
    assert found.lost == (("Dead-v0", "the examination was killed"),)
    assert dead.judged.verdict == INCONCLUSIVE
    assert "inconclusive now: Dead-v0: the examination was killed" in comparison_text(found, True)


def test_new_findings_fail_a_build() -> None:
    found = compare([result()], [result(finding(severity=WARNING))])
    assert not found.failing(ERROR)
    assert len(found.failing(WARNING)) == 1
    gone = compare([result(finding())], [result()])
    assert not gone.failing(NOTE)


def test_the_one_new_sick_environment_of_two_hundred_is_named_with_its_suspects() -> None:
    before = [result(*sick(each), spec=f"E{each}") for each in range(200)]
    after = [result(*sick(each, 77), spec=f"E{each}") for each in range(200)]
    versions = {"numpy": "2.4.6", "gone": "1"}, {"numpy": "2.5.0", "came": "2"}
    found = compare(before, after, versions)
    assert [(one.kind, one.label) for one in found.changes] == [(NEW, "E77")]
    assert found.suspects == (
        ("came", "not installed", "2"),
        ("gone", "1", "not installed"),
        ("numpy", "2.4.6", "2.5.0"),
    )
    text = comparison_text(found, unicode=True)
    assert "numpy 2.4.6 -> 2.5.0" in text
    assert text.endswith("200 environments compared: 1 new\n")


def sick(number: int, also: int | None = None) -> tuple[Finding, ...]:
    return (finding(spec=f"E{number}"),) if number % 10 == 0 or number == also else ()


def test_text_of_an_environment_acts_on_no_terminal() -> None:
    found = compare([result()], [result(finding(message="\x1b[2Jowned"))])
    assert "\x1b" not in comparison_text(found, unicode=True)
