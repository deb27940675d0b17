"""Scenarios beyond one launch, under managers that can launch more than once. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from envdoctor.model.evidence import PlayedScenario, read_evidence
from envdoctor.model.facts import Described, SurveyedManager
from envdoctor.model.finding import NOTE, UNKNOWN, Finding
from envdoctor.model.scenario import (
    CONFIGURED,
    OPENED_AGAIN,
    RELAUNCHED,
    RENEWED,
    RETRIED,
    Scenario,
)
from envdoctor.model.trace import FINISHED, Trace

#: Resets reuse what a launch built; another launch builds anew, after the old ones were closed.
RELAUNCH = "make reset step:5 reset step:5 relaunch step:5 close drop"

#: The second reset of one instance fails; or each is given what it takes by default anyway.
RESET_ONCE_MORE = "make reset step:5 close drop"


def opened_again(
    manager: str, method: str | None, known: SurveyedManager, described: Described
) -> Iterator[Scenario]:
    """The scenarios of one place, as far as its manager knows how."""
    if known.relaunches:
        yield Scenario(RELAUNCHED, RELAUNCH, manager, method)
    if known.retries:
        yield from (
            _failing(name, retry_type, manager, method)
            for name, retry_type in ((RETRIED, "reset"), (RENEWED, "renew"))
        )
        parameters = tuple(described.reset_parameters.items())
        if parameters:
            yield Scenario(
                CONFIGURED, RESET_ONCE_MORE, manager, method, options=(("reset_param", parameters),)
            )


def _failing(name: str, retry_type: str, manager: str, method: str | None) -> Scenario:
    options = (("fails_once", 1), ("max_retry", 2), ("retry_type", retry_type))
    return Scenario(name, RESET_ONCE_MORE, manager, method, options=options)


def is_hopeless(scenario: Scenario, traces: Iterable[Trace]) -> bool:
    """Return True if a plain life of its place has hung or died: it would only do so again."""
    life_traces = [
        trace
        for trace in traces
        if (trace.scenario.name, trace.scenario.place) == ("life", scenario.place)
    ]
    return scenario.name in (*OPENED_AGAIN, CONFIGURED) and any(
        life.outcome.kind != FINISHED for life in life_traces
    )


def controls(findings: Iterable[Finding], traces: Iterable[Trace]) -> Iterator[Scenario]:
    """Yield the same scenarios with a null environment, for findings of unknown cause."""
    unclear = [
        finding for finding in findings if finding.blame == UNKNOWN and finding.severity != NOTE
    ]
    reported = {
        (
            read_evidence(PlayedScenario, finding.evidence).scenario,
            finding.manager,
            finding.start_method,
        )
        for finding in unclear
    }
    for scenario in (trace.scenario for trace in traces):
        if scenario.name in OPENED_AGAIN and (scenario.name, *scenario.place) in reported:
            yield replace(scenario, control=True)
