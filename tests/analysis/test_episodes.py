"""Extent to which whole episodes were followed, as values and in a sentence."""

from __future__ import annotations

import pytest

from envdoctor.analysis.episodes import summarise
from envdoctor.model.report import EpisodeReport
from envdoctor.model.trace import TIMED_OUT, Trace
from envdoctor.reporters._particulars import episodes
from envdoctor.rules.engine.examples import raised, trace, verb


def played(*ends: tuple[int, str], steps: int = 0, bound: str = "", **place: object) -> Trace:
    told = [{"step": step, "how": how} for step, how in ends]
    total = steps or sum(step for step, _ in ends)
    event = verb("episode:2000", at=2, steps=total, episodes=told, bound=bound)
    return trace(event, name="episode", **place)


FAILED = verb("episode:2000", "raised", error=raised("ValueError", "no fuel"), step=40, episode=1)


@pytest.mark.parametrize(
    ("traces", "sentence"),
    [
        ([played((200, "truncated"))], "1 ended after 200 steps (truncated)"),
        (
            [played((20, "terminated"), (30, "truncated"))],
            "2 ended after 30 steps at most (terminated, truncated)",
        ),
        ([played(steps=2000, bound="steps")], "no end was reached within 2000 steps"),
        (
            [played(steps=50, bound="time")],
            "no end was reached within 50 steps, which is all the time that there is",
        ),
        (
            [played((9, "terminated")), played((9, "done"), manager="sb3-dummy")],
            "1 ended after 9 steps (terminated); ends were seen under sb3-dummy, too",
        ),
        (
            [trace(FAILED, name="episode")],
            "none was played to its end: ValueError: no fuel at step 40",
        ),
        (
            [trace(name="episode", outcome=TIMED_OUT, verb="episode:2000")],
            "none was played to its end: it hangs",
        ),
        ([], ""),
    ],
)
def test_sentences(traces: list[Trace], sentence: str) -> None:
    assert episodes(summarise(traces)) == sentence


def test_each_place_and_mode_has_an_entry() -> None:
    mode = played((9, "truncated"), (9, "truncated"), manager="gymnasium-sync")
    mode = Trace(
        type(mode.scenario)(
            "episode-disabled",
            mode.scenario.script,
            "gymnasium-sync",
            options=(("autoreset_mode", "Disabled"),),
        ),
        mode.outcome,
        mode.events,
    )
    assert summarise([mode, trace(name="life")]) == (
        EpisodeReport(
            "gymnasium-sync", None, "Disabled", steps=18, longest=9, ended={"truncated": 2}
        ),
    )
