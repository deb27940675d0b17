"""The length of whole episodes, in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from envdoctor.model.report import EpisodeReport
from envdoctor.model.scenario import DIRECT
from envdoctor.reporters._folding import name_places
from envdoctor.reporters._verdict import number


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
