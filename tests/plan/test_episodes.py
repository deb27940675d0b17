"""How far whole episodes are followed, and under which managers."""

from __future__ import annotations

import pytest

from envdoctor.model.facts import Survey
from envdoctor.model.scenario import Scenario
from envdoctor.model.trace import FINISHED, TIMED_OUT, Trace
from envdoctor.plan.episodes import Bound, alone, lived, managed, steps_followed
from envdoctor.rules.engine.examples import raised, trace, verb

SURVEY = Survey(frameworks={"gymnasium": "1.4.0"})
PLACES = (("gymnasium-async", "fork"), ("gymnasium-async", "spawn"), ("gymnasium-sync", None))


def life(manager: str = "direct", method: str | None = None, outcome: str = FINISHED) -> Trace:
    return trace(
        verb("make"), verb("reset", at=1), outcome=outcome, manager=manager, start_method=method
    )


def episode(seconds: float = 0.1, **told: object) -> Trace:
    ended = {"steps": 200, "episodes": [{"step": 200, "how": "truncated"}], "bound": "", **told}
    event = {**verb("episode:2000", at=2, **ended), "seconds": seconds}
    return trace(event, name="episode", script="make reset episode:2000")


def planned(*traces: Trace, bound: Bound = Bound(), version: str = "1.4.0") -> list[str]:  # noqa: B008
    lives = [Scenario("life", "make", *place) for place in PLACES]
    survey = Survey(frameworks={"gymnasium": version})
    scenarios, _ = managed("Env-v0", survey, lives, traces, bound)
    return [f"{one.name} {one.manager} {one.start_method}" for one in scenarios]


def test_alone_it_is_followed_as_far_as_it_was_asked_for() -> None:
    assert alone(Bound()).script == "make reset episode:2000 reset step:5 close drop"
    assert alone(Bound(50, 3)).script == "make reset episode:50x3 reset step:5 close drop"
    assert alone(Bound(50, 3)).verbs[2].argument == "50x3"


def test_each_manager_once_and_gymnasiums_in_each_mode() -> None:
    lives = [life(*place) for place in PLACES]
    assert planned(episode(), *lives) == [
        "episode gymnasium-async fork",
        "episode gymnasium-sync None",
        "episode-same-step gymnasium-async fork",
        "episode-disabled gymnasium-async fork",
        "episode-same-step gymnasium-sync None",
        "episode-disabled gymnasium-sync None",
        "episode-alone direct None",
    ]
    # Before 1.1 there was one mode.
    assert len(planned(episode(), *lives, version="1.0.0")) == 3


def test_a_place_whose_plain_life_went_wrong_is_left_out() -> None:
    broken = life("gymnasium-async", "fork", TIMED_OUT)
    lives = [broken, life("gymnasium-async", "spawn"), life("gymnasium-sync")]
    assert planned(episode(), *lives)[:2] == [
        "episode gymnasium-async spawn",
        "episode gymnasium-sync None",
    ]


@pytest.mark.parametrize(
    "first", [(), (episode(episodes=[], bound="steps"),), (trace(name="episode"),)]
)
def test_without_an_end_alone_there_is_none_under_a_manager(first: tuple[Trace, ...]) -> None:
    assert planned(*first, *(life(*place) for place in PLACES)) == []


def test_an_episode_that_takes_long_is_not_played_everywhere() -> None:
    lives = [Scenario("life", "make", *place) for place in PLACES]
    traces = [episode(seconds=6.0), *(life(*place) for place in PLACES)]
    scenarios, skipped = managed("Env-v0", SURVEY, lives, traces, Bound())
    assert [one.name for one in scenarios] == ["episode", "episode-alone"]
    assert len(skipped) == 5
    assert "200 steps to the end of an episode take 6.0 s" in skipped[0].reason


def test_the_steps_of_a_whole_episode() -> None:
    assert steps_followed([episode()]) == 200
    assert steps_followed([episode(episodes=[], steps=2000, bound="steps")]) == 2000
    assert steps_followed([]) == 0


def test_what_lived() -> None:
    assert lived(("direct", None), [life()])
    assert not lived(("direct", None), [])
    assert not lived(("direct", None), [life(outcome=TIMED_OUT)])
    failed = verb("step:20", "raised", error=raised())
    assert not lived(("direct", None), [trace(verb("make"), failed)])
    # What its close() raises is no reason.
    closed = verb("close", "raised", error=raised())
    assert lived(("direct", None), [trace(verb("make"), closed)])
