"""Texts of reports on replay storages, by values."""

from __future__ import annotations

from dataclasses import replace

from envdoctor.analysis.replay_buffers import NONE, summarise
from envdoctor.rules.engine.examples import trace
from envdoctor.rules.evidence.replay_buffers import LISTED, filled, forecast, turns


def test_storages_that_were_asked_for_are_reported_and_nothing_else() -> None:
    control = filled()
    control = replace(control, scenario=replace(control.scenario, control=True))
    alone = filled(NONE, past=turns())
    played = [trace(), forecast(), filled(past=turns()), control, alone]
    assert [report.storage for report in summarise(played)] == [LISTED]


def test_storage_that_was_not_filled_says_why() -> None:
    (report,) = summarise([forecast(missing="torchrl is not installed")])
    assert report.missing == "torchrl is not installed"
    (report,) = summarise([forecast()])
    assert report.missing == "not played"
