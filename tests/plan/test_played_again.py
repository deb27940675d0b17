"""What a trial plays once more: what its rule reads, where its findings are, and nothing else."""

from __future__ import annotations

from envdoctor.analysis.replay_buffers import FORECAST, NAME
from envdoctor.model.scenario import DIRECT
from envdoctor.model.trace import Trace
from envdoctor.plan.comparisons import played_again
from envdoctor.rules.engine.examples import trace
from envdoctor.rules.engine.registry import all_rules

SYNC = {"manager": "gymnasium-sync"}
ALONE, UNDER_SYNC = (DIRECT, None), ("gymnasium-sync", None)


def again(code: str, earlier: list[Trace], *later: Trace) -> list[tuple[str, str]]:
    """(name, manager) of what is played once more for a rule, in both places."""
    rules = [all_rules()[code]]
    scenarios = played_again(rules, {ALONE, UNDER_SYNC}, earlier, later)
    return [(scenario.name, scenario.manager) for scenario in scenarios]


def test_storage_is_filled_after_its_forecast() -> None:
    earlier = [trace(name=FORECAST), trace(name=NAME), trace(name="reuse")]
    assert again("BUF003", earlier) == [(FORECAST, DIRECT), (NAME, DIRECT)]


def test_episodes_of_all_modes_are_compared_with_one_alone() -> None:
    names = ("episode", "episode-same-step")
    other = trace(name="episode", manager="ding-base")
    earlier = [*(trace(name=name, **SYNC) for name in names), other, trace(name="episode-alone")]
    assert again("VEC010", earlier) == [
        ("episode", "gymnasium-sync"),
        ("episode-same-step", "gymnasium-sync"),
        ("episode-alone", DIRECT),
    ]


def test_last_resort_needs_whole_episodes_and_many_beginnings() -> None:
    earlier = [trace(name=name) for name in ("episode", "beginnings", "exit")]
    assert again("API015", earlier) == [("episode", DIRECT), ("beginnings", DIRECT)]
    assert again("API013", earlier) == []


def test_controls_and_what_was_played_are_left_out() -> None:
    control = trace(name=NAME, control=True)
    other = trace(name="other-process")
    assert again("BUF003", [control]) == []
    assert again("DET003", [other]) == [("other-process", DIRECT)]
    assert again("DET003", [other], other) == []
