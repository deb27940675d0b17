"""What became of memray's recordings, where a folder was named for them."""

from __future__ import annotations

from envdoctor.model.facts import Allocations
from envdoctor.model.report import Report

UNASKED = "nothing was recorded: memray is asked only where memory grows"
UNFINISHED = "a recording did not come to its end"


def was_asked(report: Report) -> bool:
    """Whether memray recorded anything that was to be kept."""
    return any(trace.scenario.option("save") for _, trace in report.traces)


def lost(report: Report) -> str:
    """Why a recording that was to be kept is not there; empty where each of them is."""
    facts = [trace.fact(Allocations) for _, trace in report.traces if trace.scenario.option("save")]
    reasons = (UNFINISHED if fact is None else fact.missing or fact.unsaved for fact in facts)
    return next(filter(None, reasons), "")
