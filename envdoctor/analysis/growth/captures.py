"""The fate of memray's recordings, where a folder was named for them."""

from __future__ import annotations

from envdoctor.model.facts import Allocations
from envdoctor.model.report import Report

UNASKED = "nothing was recorded: memray is asked only where memory grows"
UNFINISHED = "a recording did not come to its end"


def was_asked(report: Report) -> bool:
    """Return True if memray recorded anything that was to be kept."""
    return any(trace.scenario.option("save") for _, trace in report.traces)


def lost(report: Report) -> str:
    """Return the reason why a recording that was to be kept is missing; empty if none is."""
    facts = [trace.fact(Allocations) for _, trace in report.traces if trace.scenario.option("save")]
    reasons = (UNFINISHED if fact is None else fact.missing or fact.unsaved for fact in facts)
    return next(filter(None, reasons), "")
