"""Drawings of growth on the page, by values."""

from __future__ import annotations

import pytest

from envdoctor.analysis.growth.verdicts import LEAK
from envdoctor.model.report import GrowthReport, MeterGrowth
from envdoctor.reporters.html.growth import _unit, _verdict
from envdoctor.reporters.html.plots import PlotSeries, top_of

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
