"""Growth on the screen and on the page, by values."""

from __future__ import annotations

from dataclasses import replace

import pytest

from envdoctor.analysis.growth.verdicts import LEAK, OPEN
from envdoctor.model.facts import Suspects
from envdoctor.model.facts.growth import GrownHolder, GrownType
from envdoctor.model.report import GrowthReport, MeterGrowth
from envdoctor.reporters._growth import growth, verdict
from envdoctor.reporters.html.growth import _unit, _verdict
from envdoctor.reporters.html.plots import PlotSeries, top_of

SUSPECTS = Suspects(types=(GrownType("arm.Frame", 7),))


def check(kind: str, cycles: int, quick: bool = True) -> GrowthReport:
    meter = MeterGrowth("heap", kind, 32.0, (32 * cycles,))
    return GrowthReport("direct", None, (cycles,), (meter,), quick=quick, suspects=SUSPECTS)


@pytest.mark.parametrize(
    ("cycles", "words"),
    [
        (1, "Undecided: 32 bytes more after 1 cycle, which is too little to tell."),
        (7, "Undecided: 224 bytes more after 7 cycles, which are too uneven or too few to tell."),
    ],
)
def test_undecided_growth_has_its_reason(cycles: int, words: str) -> None:
    assert verdict(check(OPEN, cycles))[0] == words


@pytest.mark.parametrize(
    ("kind", "quick", "shown"), [(OPEN, True, False), (OPEN, False, True), (LEAK, True, True)]
)
def test_types_are_shown_of_what_grows(kind: str, quick: bool, shown: bool) -> None:
    printed = "".join(map(str, growth("arm.py", [check(kind, 7, quick)], True)))
    assert ("arm.Frame" in printed) == shown


@pytest.mark.parametrize("holders", [(), (GrownHolder("list", "arm.LOG"),)])
@pytest.mark.parametrize("unsearched", [0, 3])
def test_search_that_took_too_long_is_reported(
    holders: tuple[GrownHolder, ...], unsearched: int
) -> None:
    suspects = replace(SUSPECTS, holders=holders, unsearched=unsearched)
    printed = "".join(
        map(str, growth("arm.py", [replace(check(LEAK, 7), suspects=suspects)], True))
    )
    assert ("the search for it took too long" in printed) is (unsearched > 0)
    assert ("held by" in printed) is bool(holders or unsearched)


KIB, MIB = 2.0**10, 2.0**20


@pytest.mark.parametrize(
    ("most", "unit", "top"),
    [(1.4 * MIB, MIB, 2 * MIB), (370 * KIB, KIB, 400 * KIB), (900.0, 1.0, 1000.0)],
)
def test_an_axis_is_round_in_the_unit_that_it_shows(most: float, unit: float, top: float) -> None:
    assert _unit([PlotSeries("one", ((0.0, 0.0), (1.0, most)))]) == unit
    assert top_of(most, unit) == top


def test_growth_that_only_follows_is_quiet() -> None:
    """It is in no leak of its own."""
    meter = MeterGrowth("heap", LEAK, 1632.0, (7.0, 7.0, 7.0))
    check = GrowthReport("direct", None, (7, 7, 7), (meter,))
    (words, *_) = _verdict(check)
    assert words.attributes["class"] == "growth clear"
