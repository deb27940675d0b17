"""One cause is one card, the worst first; headings are short; axes are round."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from envdoctor.model.finding import ENVIRONMENT, ERROR, NOTE, WARNING, Finding, Location, Remedy
from envdoctor.model.remedy import Change
from envdoctor.reporters._folding import cases, repeated_code
from envdoctor.reporters.html import render, render_card
from envdoctor.reporters.html.cards import headed
from envdoctor.reporters.html.index import by_cause, worst_first
from envdoctor.reporters.html.markup import written
from envdoctor.reporters.html.plots import PlotSeries, key, line_plot, steps_to, top_of
from tests.reporters.reports import healthy

FRAME = {"file": "arm.py", "line": 9, "function": "close"}
ERRED = {"type": "AttributeError", "message": "no sim", "frames": [FRAME], "user": 0}
TAKEN = {"file": "arm.py", "line": 4, "function": "reset", "target": "sleep 1000"}


def found(code: str, message: str = "it is so", **more: Any) -> Finding:
    options = {"severity": ERROR, "manager": "direct", "blame": ENVIRONMENT, **more}
    return Finding(
        code, "a-name", remedy=Remedy("mend it."), message=message, subject="Arm", **options
    )


ALL = (
    found("CLS002", "close() raises", evidence={"error": ERRED}),
    found("VEC001", "workers do not start", manager="gymnasium-async", evidence={"error": ERRED}),
    found(
        "PRC001",
        "1 lives on: sleep 1000",
        manager="gymnasium-sync",
        evidence={"processes": {"7": "sleep 1000"}, "taken_at": [TAKEN]},
    ),
    found(
        "CLS008",
        "close() leaves 1 process: sleep 1000",
        evidence={"held": {"5": "sleep 1000"}, "taken_at": [TAKEN]},
    ),
    found("API001", "reset(): no tuple", location=Location("arm.py", 30)),
    found("API001", "reset(): no seed", severity=WARNING, location=Location("arm.py", 30)),
    found("API001", "step(): no tuple", severity=WARNING, location=Location("arm.py", 40)),
    found("DET001", "not seeded"),
    found("SFX001", "a signal", severity=NOTE),
)


def codes() -> list[list[str]]:
    causes = by_cause(worst_first(cases(ALL)))
    return [[case.first.code for case in cause] for cause in causes]


def test_findings_of_one_cause_form_one_card() -> None:
    assert codes() == [
        ["CLS008", "PRC001"],
        ["CLS002", "VEC001"],
        ["DET001"],
        ["API001", "API001"],
        ["API001"],
        ["SFX001"],
    ]


def test_another_subject_and_another_line_are_another_cause() -> None:
    twin = ALL[1].but(subject="Leg")
    elsewhere = ALL[2].but(evidence={"taken_at": [{**TAKEN, "line": 5}]})
    causes = by_cause(cases((ALL[0], twin, ALL[3], elsewhere)))
    assert [len(cause) for cause in causes] == [1, 1, 1, 1]


def test_the_page_has_a_card_a_cause_and_leads_with_the_worst() -> None:
    page = render(
        replace(
            healthy,
            findings=ALL,
            verdict="sick",
            subjects=(replace(healthy.subjects[0], spec="Arm"),),
        )
    )
    assert page.count("<article") == 6
    assert page.count("The same cause: ") == 3
    assert "<strong>close() leaves 1 process: sleep 1000</strong>" in page
    assert all(f'id="finding-{number}"' in page for number in range(1, len(ALL) + 1))


def test_a_heading_has_no_command_line_in_it_and_the_card_has_all() -> None:
    assert headed(ALL[3]) == ("close() leaves 1 process", "close() leaves 1 process: sleep 1000")
    assert headed(ALL[4]) == ("reset(): no tuple", "")
    long = found("API001", "reset(): " + "the first element " * 20)
    assert headed(long)[0].startswith("reset(): the first element")
    assert len(headed(long)[0]) < 115


def test_many_findings_are_folded_and_a_link_still_leads_to_each() -> None:
    many = tuple(found("CLS006", f"close() leaves {number}") for number in range(12))
    page = render(
        replace(
            healthy,
            findings=many,
            verdict="sick",
            subjects=(replace(healthy.subjects[0], spec="Arm"),),
        )
    )
    assert "4 more findings" in page
    assert page.count("<article") == 12


def test_a_notebook_gets_the_verdict_and_the_cards_in_a_frame_of_their_own() -> None:
    shown = render_card(replace(healthy, findings=ALL, verdict="sick"))
    assert shown.startswith('<iframe srcdoc="&lt;!doctype html&gt;')
    assert "close() leaves 1 process" in shown
    assert "What was checked where" not in shown
    assert "<script" not in shown


@pytest.mark.parametrize(
    ("last", "axis"),
    [(231, (50, 5)), (35, (10, 4)), (7, (2, 4)), (1, (1, 4)), (455, (100, 5)), (1e6, (2.5e5, 4))],
)
def test_ticks_of_counts_are_whole_and_round(last: float, axis: tuple[float, int]) -> None:
    assert steps_to(last) == axis


def test_ticks_of_bytes_are_round_in_the_unit_that_is_written() -> None:
    assert top_of(90_000, 1024.0) / 1024 == 100
    assert top_of(90_000) == 100_000


def test_flat_series_is_drawn_differently() -> None:
    lines = (
        PlotSeries("worker 1", ((0, 0), (7, 7))),
        PlotSeries("parent", ((0, 0), (7, 0)), flat=True),
    )
    drawn = written(line_plot("objects", lines, ("cycles", "objects"), str, "told"))
    assert drawn.count('class="line line-0"') == 1
    assert drawn.count('class="line flat"') == 1
    assert "key flat" in written(key(lines))


def test_code_that_cures_two_findings_is_shown_once() -> None:
    def cured(code: str, line: int) -> Finding:
        change = Change("arm.py", line, 0, ("        self.sim.stop()",))
        remedy = Remedy("stop it.", (f"# after line {line} of arm.py",), changes=(change,))
        return replace(found(code), remedy=remedy)

    shown = cases([cured("CLS008", 9), cured("PRC001", 9), cured("CLS007", 7)])
    assert repeated_code(shown) == {shown[1].first.fingerprint: "CLS008"}
    assert [[case.first.code for case in cause] for cause in by_cause(shown)] == [
        ["CLS008", "PRC001"],
        ["CLS007"],
    ]


def test_two_lines_of_one_place_are_two_and_one_line_of_several_places_is_one() -> None:
    """Vectorizers that two lines make, and that nothing closes, have one key."""
    at = [found("TRN016", location=Location("train.py", line), key=("Vec",)) for line in (16, 17)]
    elsewhere = at[0].but(manager="gymnasium-async", location=Location("train.py", 30))
    made = cases([*at, elsewhere])
    assert [[each.location.line for each in case.findings if each.location] for case in made] == [
        [16, 30],
        [17],
    ]
