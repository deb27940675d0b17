"""Sentences on one environment beside its findings: its episodes, services and actions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from envdoctor.model.actions import FUNCTION, TOOLS, VALUE, PlayedActions
from envdoctor.model.report import EpisodeReport, ServiceReport
from envdoctor.model.scenario import DIRECT
from envdoctor.reporters._folding import name_places
from envdoctor.reporters._verdict import number

MOST, LONG = 3, 80  # services that are named; characters of a command line


def episodes(followed: Sequence[EpisodeReport]) -> str:
    """`1 ended after 200 steps (truncated); under gymnasium-sync, too`; nothing where none was
    followed.
    """
    alone = next((report for report in followed if report.manager == DIRECT), None)
    if alone is None:
        return ""
    others = [report for report in followed if report.manager != DIRECT]
    places = dict.fromkeys((other.manager, other.start_method) for other in others if other.ended)
    more = f"; ends were seen under {name_places(list(places))}, too" if places else ""
    return f"{_alone(alone)}{more}"


def _alone(report: EpisodeReport) -> str:
    if report.failed:
        return f"none was played to its end: {report.failed}"
    within = f"{number(report.steps, 'step')}" + (
        ", which is all the time that there is" if report.bound == "time" else ""
    )
    if not report.ended:
        return f"no end was reached within {within}"
    count = sum(report.ended.values())
    ways = ", ".join(report.ended)
    far = (
        f"{number(report.longest, 'step')}"
        if count == 1
        else f"{number(report.longest, 'step')} at most"
    )
    rest = f"; the last was cut off after {within} in all" if report.bound else ""
    return f"{count} ended after {far} ({ways}){rest}"


def connected(services: Iterable[ServiceReport]) -> str:
    """`127.0.0.1:20124 (python service.py 20124)`, and how many more there are."""
    reports = tuple(services)
    named = [f"{report.address}{_listening(report.listener)}" for report in reports]
    more = len(named) - MOST
    return ", ".join(named[:MOST]) + (f" and {more} more" if more > 0 else "")


def _listening(command: str) -> str:
    cut = command if len(command) <= LONG else f"{command[: LONG - 3]}..."
    return f" ({cut})" if cut else ""


def not_looked_at(spec: str, services: Iterable[ServiceReport]) -> str:
    """That what an environment leaves in a service is not looked at; nothing where it is."""
    reports = [service for service in services if not service.counted]
    if not reports:
        return ""
    return (
        f"{spec} is connected to {connected(reports)} while it lives, and what it leaves there is"
        " not looked at: --service-count COMMAND counts it"
    )


def played_actions(reported: PlayedActions) -> str:
    """`EchoAction(message='hi') at each step (--action)`."""
    if reported.kind == FUNCTION:
        return f"what {reported.text} gives (--actions), first {reported.example}"
    if reported.kind == VALUE:
        return f"{reported.example} at each step (--action)"
    if reported.kind == TOOLS:
        return f"calls of its tools, first {reported.example}; it has no step()"
    return f"made of the fields of {reported.type}, first {reported.example}"
