"""Differences between two reports, and the conditions that a case must meet."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from envdoctor.model.finding import NOTE, Finding, Location, Passed, Remedy, Skipped
from envdoctor.model.report import Report
from tests.recorded.catalogue import Case
from tests.recorded.expectations import failures
from tests.recorded.snapshots import changes, outline, snapshot_of

LEAK = Finding(
    "CLS007", "threads", "error", "close() leaves 2 threads", Remedy("join it"), "X", "direct"
)
SLOW = replace(LEAK, code="CLS005", severity="warning", message="close() takes 2.5 s")


def report(*findings: Finding, **fields: Any) -> Report:
    return Report(
        (), findings, **{"passed": (), "skipped": (), "traces": (), "verdict": ""} | fields
    )


def changed(old: Report, new: Report) -> list[str]:
    return list(changes(snapshot_of(old), snapshot_of(new)))


def test_same_report_has_no_changes() -> None:
    assert changed(report(LEAK, SLOW), report(SLOW, LEAK)) == []


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        (report(LEAK, SLOW), report(LEAK), "gone: CLS005 [direct] close() takes 2.5 s"),
        (report(LEAK), report(LEAK, SLOW), "new warning: CLS005 [direct] close() takes 2.5 s"),
        (
            report(LEAK),
            report(replace(LEAK, severity=NOTE)),
            "severity of CLS007 [direct]: 'error' -> 'note'",
        ),
        (
            report(LEAK),
            report(replace(LEAK, blame="manager")),
            "blame of CLS007 [direct]: 'unknown' -> 'manager'",
        ),
        (
            report(LEAK),
            report(replace(LEAK, remedy=Remedy("join it", verified=True))),
            "verified of CLS007 [direct]: None -> True",
        ),
        (
            report(passed=(Passed("LEK001", "X", "direct"),)),
            report(skipped=(Skipped("LEK001", "X", "direct", "no time"),)),
            "LEK001 [direct]: passed -> not judged: no time",
        ),
        (report(verdict="sick"), report(verdict="healthy"), "verdict: sick -> healthy"),
    ],
)
def test_change_is_one_line(old: Report, new: Report, line: str) -> None:
    assert changed(old, new) == [line]


def test_outline_has_neither_numbers_nor_drawn_names() -> None:
    other = replace(SLOW, message="close() takes 3.75 s")
    file = replace(LEAK, message="leaves $TMPDIR/level-ab3d_f9h.bin, open", key=("level",))
    again = replace(file, message="leaves $TMPDIR/level-zk3d_f9h.bin, open")
    assert outline(snapshot_of(report(SLOW))) == outline(snapshot_of(report(other)))
    assert outline(snapshot_of(report(file))) == outline(snapshot_of(report(again)))
    assert outline(snapshot_of(report(SLOW))) != outline(snapshot_of(report(LEAK)))


CASE = Case("zoo", "x", ("x.py:X",), says=("CLS007",), may=("CLS005",), passes=("LEK001",))
PASSED = (Passed("LEK001", "X", "direct"),)


@pytest.mark.parametrize(
    ("judged", "wrong"),
    [
        (report(LEAK, SLOW, passed=PASSED), []),
        (report(SLOW, passed=PASSED), ["CLS007 is not reported"]),
        (report(LEAK), ["LEK001 is silent, but not judged"]),
        (
            report(LEAK, replace(LEAK, code="CLS009"), passed=PASSED),
            ["unexpected error CLS009 [direct]: close() leaves 2 threads"],
        ),
        (report(LEAK, replace(LEAK, code="CLS009", severity=NOTE), passed=PASSED), []),
        (report(replace(LEAK, remedy=Remedy("")), passed=PASSED), ["CLS007 has no remedy"]),
        (
            report(LEAK, passed=PASSED, incomplete="it ends early"),
            ["the recording is incomplete: it ends early"],
        ),
    ],
)
def test_case_that_breaks_its_promise_is_named(judged: Report, wrong: list[str]) -> None:
    assert failures(CASE, judged) == wrong


def test_finding_that_gives_way_names_the_other() -> None:
    case = replace(CASE, gives_way=(("CLS006", "CLS007"),))
    explained = Skipped("CLS006", "X", "direct", "explained by CLS007")
    assert failures(case, report(LEAK, passed=PASSED)) == ["CLS006 is not explained by CLS007"]
    assert failures(case, report(LEAK, passed=PASSED, skipped=(explained,))) == []


@pytest.mark.parametrize(
    ("names", "avoids", "wrong"),
    [
        (("2 threads", "a.py:7 close", "join it", "t.join()"), ("CartPole",), []),
        (("3 threads",), (), ["'3 threads' is not named"]),
        ((), ("join it",), ["'join it' is named"]),
    ],
)
def test_parts_are_looked_for_in_message_place_and_remedy(
    names: tuple[str, ...], avoids: tuple[str, ...], wrong: list[str]
) -> None:
    finding = replace(
        LEAK, location=Location("a.py", 7, "close"), remedy=Remedy("join it", ("t.join()",))
    )
    case = replace(CASE, names=names, avoids=avoids)
    assert failures(case, report(finding, passed=PASSED)) == wrong
