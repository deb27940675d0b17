"""Failures of forked workers that other start methods do not have."""

from __future__ import annotations

from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.deaths import dead_workers
from envdoctor.rules.evidence.relaunches import went_well

FORK = "fork"


def well_started_by(view: View, scenario: str) -> str:
    """The start method by which workers of the same manager played a scenario well that fails in
    this view's forked ones; nothing where there is none.
    """
    if view.start_method != FORK:
        return ""
    others = (
        trace
        for trace in view.everywhere(scenario)
        if trace.scenario.manager == view.manager
        and trace.scenario.start_method not in (None, FORK)
        and not (trace.scenario.control or trace.scenario.fault)
    )
    return next(
        (
            trace.scenario.start_method or ""
            for trace in others
            if went_well(trace) and not any(dead_workers(trace))
        ),
        "",
    )


def start_otherwise(method: str) -> str:
    """The remedy for what fails in forked workers only; nothing without a method."""
    if not method:
        return ""
    return (
        f"start the workers by {method}, with which all of it went well: what their parent has"
        " opened or started before it forks them (a context, a connection, a thread) does not work"
        " in them; or "
    )
