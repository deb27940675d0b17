"""Length to which whole episodes are followed, and the managers under which they are."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from envdoctor.model.facts import Survey
from envdoctor.model.finding import ERROR, Finding, Remedy
from envdoctor.model.scenario import EPISODE, Scenario
from envdoctor.model.subject import ID, Subject
from envdoctor.model.trace import FINISHED, SIGNALLED, TIMED_OUT, Outcome, Trace
from envdoctor.plan.episodes import (
    Bound,
    alone,
    found_together,
    has_both,
    lived,
    managed,
    separated,
    steps_followed,
    together,
)
from envdoctor.plan.scenarios import vector_life
from envdoctor.rules.engine.examples import raised, trace, verb
from envdoctor.rules.engine.judging import build_views
from envdoctor.run.play import Play
from envdoctor.run.supervise.limits import Limits
from envdoctor.run.supervise.session import Session

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


def test_life_that_went_well_lived() -> None:
    assert lived(("direct", None), [life()])
    assert not lived(("direct", None), [])
    assert not lived(("direct", None), [life(outcome=TIMED_OUT)])
    failed = verb("step:20", "raised", error=raised())
    assert not lived(("direct", None), [trace(verb("make"), failed)])
    # What its close() raises is no reason.
    closed = verb("close", "raised", error=raised())
    assert lived(("direct", None), [trace(verb("make"), closed)])


SPAWN, FORK = ("sb3-subproc", "spawn"), ("gymnasium-async", "fork")
JOINT = "make reset episode:2000 step:20 reset mirror:5 close drop"


def with_episode(*events: dict[str, object], outcome: str = FINISHED) -> Trace:
    """Return the trace of a lifecycle with a whole episode that left these verbs."""
    return trace(*events, script=JOINT, outcome=outcome, manager=SPAWN[0], start_method=SPAWN[1])


HEALTHY = with_episode(verb("make"), verb("reset", at=1), verb("episode:2000", at=2))
RAISED = with_episode(verb("make"), verb("episode:2000", "raised", at=2, error=raised()))


def test_executed_workers_are_launched_once_for_life_and_episode() -> None:
    lives = [vector_life(*place) for place in (FORK, SPAWN, ("sb3-subproc", "fork"))]
    joint = together(SURVEY, lives, [episode()], Bound())
    assert [(life.place, other.script) for life, other in joint.items()] == [(SPAWN, JOINT)]
    assert together(SURVEY, lives, [], Bound()) == {}
    assert together(SURVEY, lives, [episode(seconds=6.0)], Bound()) == {}, "some are left out"


def test_only_the_first_start_method_of_a_manager_has_an_episode() -> None:
    lives = [vector_life(*FORK), vector_life("gymnasium-async", "spawn")]
    assert together(SURVEY, lives, [episode()], Bound()) == {}


def test_place_with_an_episode_in_its_life_gets_no_other_and_is_compared() -> None:
    scenarios, skipped = managed(
        "Env-v0", SURVEY, [vector_life(*SPAWN)], [episode(), HEALTHY], Bound()
    )
    assert [scenario.name for scenario in scenarios] == ["episode-alone"]
    assert skipped == ()


def test_life_with_an_episode_is_both_for_rules() -> None:
    (_, view) = build_views("Env-v0", None, (life(), HEALTHY))  # type: ignore[arg-type]
    assert view.trace("life") is view.trace(EPISODE) is HEALTHY


def test_life_with_an_episode_is_the_episode_where_the_life_was_played_as_well() -> None:
    before, after = life(), life(*FORK)
    plain = life(*SPAWN)
    first, second, last, *rest = separated([before, HEALTHY, plain, after])
    assert (first, second, rest) == (before, plain, [after])
    assert (last.scenario.name, last.events) == (EPISODE, HEALTHY.events)
    assert separated([before, HEALTHY, after]) == [before, HEALTHY, after]
    assert separated([first, second, last, *rest]) == [first, second, last, *rest]


def test_episode_is_left_out_where_the_plain_life_fails_too() -> None:
    plain = trace(
        verb("make"),
        verb("step:20", "raised", error=raised()),
        manager=SPAWN[0],
        start_method=SPAWN[1],
    )
    assert separated([RAISED, plain]) == [plain]


def found_in(place: tuple[str, str]) -> Finding:
    return Finding("VEC002", "n", ERROR, "m", Remedy("r"), manager=place[0], start_method=place[1])


def test_finding_has_the_plain_life_played_alone() -> None:
    assert found_together([found_in(SPAWN)], [HEALTHY]) == (vector_life(*SPAWN),)
    assert found_together([found_in(SPAWN)], separated([HEALTHY, life(*SPAWN)])) == ()
    assert found_together([found_in(FORK)], [HEALTHY]) == ()


@pytest.mark.parametrize(
    ("first", "names"),
    [
        (HEALTHY, ["life"]),
        (RAISED, ["life", "episode"]),
        (
            with_episode(verb("make"), verb("episode:2000", "began", at=2), outcome=SIGNALLED),
            ["life", "episode"],
        ),
        # The launch itself failed: the plain life would begin in the same way.
        (with_episode(verb("make", "raised", error=raised())), ["life"]),
        (with_episode(verb("make", "began"), outcome=TIMED_OUT), ["life"]),
    ],
)
def test_second_launch_is_played_where_the_first_did_not_get_to_its_end(
    first: Trace, names: list[str]
) -> None:
    asked: list[Scenario] = []

    def played(_subject: Subject, scenario: Scenario, *_more: object) -> Trace:
        asked.append(scenario)
        return (
            first
            if scenario == first.scenario
            else Trace(scenario, Outcome(FINISHED), life().events)
        )

    session = SimpleNamespace(play=played, renew=lambda: None, limits=Limits(timeout=1.0))
    play = Play(
        cast(Session, session), Subject("Env-v0", ID, "Env-v0"), 0, Path("spaces"), lambda _: None
    )
    play.life(vector_life(*SPAWN), first.scenario)
    assert [kept.scenario.name for kept in play.traces] == names
    assert asked == [first.scenario, *([vector_life(*SPAWN)] if len(names) > 1 else [])]
    assert has_both(first) == (first is HEALTHY)
    if names == ["life"] and first is not HEALTHY:
        assert play.traces[0].scenario == vector_life(*SPAWN)
