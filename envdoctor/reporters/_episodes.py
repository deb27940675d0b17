"""How far whole episodes were followed, in a sentence."""

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
    alone = next((one for one in followed if one.manager == DIRECT), None)
    if alone is None:
        return ""
    others = [one for one in followed if one.manager != DIRECT]
    places = dict.fromkeys((one.manager, one.start_method) for one in others if one.ended)
    more = f"; ends were seen under {name_places(list(places))}, too" if places else ""
    return f"{_alone(alone)}{more}"


def _alone(one: EpisodeReport) -> str:
    if one.failed:
        return f"none was played to its end: {one.failed}"
    within = f"{number(one.steps, 'step')}" + (
        ", which is all the time that there is" if one.bound == "time" else ""
    )
    if not one.ended:
        return f"no end was reached within {within}"
    count = sum(one.ended.values())
    ways = ", ".join(one.ended)
    far = (
        f"{number(one.longest, 'step')}" if count == 1 else f"{number(one.longest, 'step')} at most"
    )
    rest = f"; the last was cut off after {within} in all" if one.bound else ""
    return f"{count} ended after {far} ({ways}){rest}"
