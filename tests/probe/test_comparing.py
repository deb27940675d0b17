"""Comparisons of recordings: of one instance, of two, of a manager's, and of returned arrays."""

from __future__ import annotations

import gc
import random
import sys
import weakref
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from envdoctor.model.scenario import Scenario
from envdoctor.model.subject import FILE, Subject
from envdoctor.model.trace import FINISHED, Trace
from envdoctor.model.trajectory import Call
from envdoctor.plan.episodes import COMPARED
from envdoctor.plan.scenarios import (
    OTHER_PROCESS,
    OTHER_PROCESS_ALIKE,
    OTHER_SEEDS,
    PLAIN,
    REPLAY,
    vector_life,
)
from envdoctor.probe.comparison.aliasing import ReturnedArrays
from envdoctor.probe.comparison.comparing import (
    any_moves,
    compare_slots,
    episodes,
    episodes_vary,
    repetition,
    seeds_and_beginnings,
    unmoved,
)
from envdoctor.probe.comparison.frozen import freeze
from envdoctor.probe.comparison.replaying import first_calls, recordings_of
from envdoctor.probe.tracing import randomness
from envdoctor.run.supervise.session import Session

ENVS = Path(__file__).parents[1] / "envs"


def reset(observation: Any, seed: int | None = None, slot: int = 0) -> Call:
    return Call("reset", slot, seed, observation=freeze(observation))


def step(observation: Any, slot: int = 0, action: int = 0) -> Call:
    return Call("step", slot, action=freeze(action), observation=freeze(observation))


def test_episodes_with_a_seed() -> None:
    records = [reset(1, 0), step(2), reset(3), step(4), reset(1, 0), step(5)]
    assert episodes(records) == (records[:2], records[4:])
    assert episodes(records[:3]) == ([], [])


def unseeded(*episodes: tuple[int | None, int, int]) -> dict[str, Any]:
    """Return what is told of episodes: (seed, first observation, the one after a step)."""
    calls = [call for seed, *two in episodes for call in (reset(two[0], seed), step(two[1]))]
    told = repetition(calls)
    assert told is not None
    return told


def test_episodes_without_a_seed_are_compared_with_the_first() -> None:
    told = unseeded(
        (0, 1, 2), (None, 1, 2), (0, 1, 2), (None, 1, 2), (1, 3, 2), (2, 1, 4), (3, 1, 2)
    )
    assert (told["difference"], told["calls"], told["episodes"]) == (None, 2, 2)
    assert (told["seeds"], told["otherwise"]) == (3, 2)


def test_first_difference_of_any_episode_without_a_seed_counts() -> None:
    told = unseeded((0, 1, 2), (None, 1, 2), (None, 1, 3))
    assert (told["difference"]["call"], told["difference"]["step"]) == ("step", 1)
    assert unseeded((0, 1, 2), (None, 5, 2))["difference"]["call"] == "reset"


def test_episodes_after_another_seed_are_not_compared() -> None:
    told = unseeded((0, 1, 2), (None, 1, 2), (1, 3, 4), (None, 3, 4))
    assert (told["episodes"], told["difference"]) == (1, None)


def rewarded(observation: Any, reward: float) -> Call:
    return step(observation)._replace(reward=freeze(reward))


def test_steps_that_leave_the_observation_as_it_was_are_counted_with_their_rewards() -> None:
    first = [reset([0.3, 1.0], 0), rewarded([0.3, 1.0], 0.1), rewarded([0.3, 1.0], 0.2)]
    second = [reset([0.7, 1.0]), rewarded([0.7, 1.0], 0.2)]
    assert unmoved(first) == {"steps": 2, "rewards": 2, "varies": False}
    assert unmoved([*first, *second]) == {"steps": 3, "rewards": 2, "varies": True}
    assert unmoved([*first, reset([0.7, 1.0])]) == {"steps": 2, "rewards": 2, "varies": True}


@pytest.mark.parametrize(
    "calls",
    [
        [],
        [reset(0.3, 0), reset(0.7)],
        [reset(0.3, 0), rewarded(0.3, 1.0), rewarded(0.4, 2.0)],
        [reset(0.3, 0), rewarded(0.3, 1.0), reset(0.7), rewarded(0.3, 2.0)],  # of another episode
        [reset(object(), 0), rewarded(object(), 1.0)],
    ],
)
def test_steps_that_change_the_observation_or_hide_it_are_not(calls: list[Call]) -> None:
    assert unmoved(calls) is None


def test_beginnings_that_differ_by_integers_are_levels() -> None:
    levels = [reset([1.0], 0), rewarded([1.0], 0.1), reset([2.0]), rewarded([2.0], 0.2)]
    assert unmoved(levels) == {"steps": 2, "rewards": 2, "varies": False}


def test_repetition_needs_an_episode_with_a_seed_and_one_without() -> None:
    assert repetition([]) is None
    assert repetition([reset(1, 0), step(2), reset(1, 0)]) is None
    assert repetition([reset(1), step(2), reset(1)]) is None


def test_beginnings_of_an_instance_that_differ_are_counted() -> None:
    records = [reset(1, 1), step(2), reset(3, 2), reset(1, 3), reset(4)]
    assert seeds_and_beginnings(records) == {"seeds": [1, 2, 3], "beginnings": 3}


def test_replay_asks_for_as_many_steps_as_a_plain_life_has() -> None:
    ended = [Call("final"), Call("begun", observation=freeze(1))]
    records = [reset(1, 0), *(step(number) for number in range(30)), *ended, reset(3), step(4)]
    assert first_calls(records) == records[:21]
    assert first_calls([reset(1, 0), step(2), *ended]) == [reset(1, 0), step(2)]


def test_recording_of_an_episode_serves_where_a_place_has_no_plain_life() -> None:
    names = ("episode,a,fork,0", "episode,a,spawn,0", "life,a,fork,0", "life,b,,0", "control,c,,0")
    paths = [f"/s/{name}.trajectory" for name in names]
    assert list(recordings_of(paths, "life")) == paths[1:4]
    assert list(recordings_of(paths, "control")) == paths[4:]


def slot(number: int, *later: int, first: int = 1) -> list[Call]:
    """An instance of a manager: its own actions in the first episode, the same as all in the
    second.
    """
    return [
        reset(first, number, number),
        step(9, number, number),
        reset(2, None, number),
        *(step(value, number) for value in later),
    ]


def test_instances_of_a_manager_are_compared_where_they_were_asked_the_same() -> None:
    same = compare_slots([*slot(0, 3, 4), *slot(1, 3, 4)])
    assert same is not None
    assert (same.calls, same.difference) == (4, None)
    other = compare_slots([*slot(0, 3, 4), *slot(1, 3, 5)])
    assert other is not None
    assert other.difference is not None
    assert compare_slots(slot(0, 3)) is None


def test_observations_that_never_change_are_known() -> None:
    assert any_moves([reset(4), step(4), reset(4), reset(7, slot=1), step(7, slot=1)]) is False
    assert any_moves([reset(4), step(4), reset(7, slot=1), step(8, slot=1)]) is True
    assert any_moves([reset(4), step(4), reset(7, slot=1)]) is None  # one observation of the second
    opaque = Call("step", observation=freeze(object()))
    assert any_moves([opaque, opaque]) is None


@pytest.mark.parametrize(
    ("again", "varies"),
    [([0.5, 3e-17], False), ([0.5, 0.001], True), ([1.5, 0.0], True), ([0.5 + 1e-8, 0.0], False)],
)
def test_episodes_that_differ_by_rounding_are_alike(again: list[float], varies: bool) -> None:
    firsts = [np.array([0.5, 0.0]), np.array(again)]
    assert episodes_vary([reset(first) for first in firsts]) is varies
    assert episodes_vary([reset({"now": float(sum(first))}) for first in firsts]) is varies


def test_one_neighbour_that_is_alike_is_enough() -> None:
    found = compare_slots([*slot(0, 3), *slot(1, 5), *slot(2, 3)])
    assert found is not None
    assert found.difference is None


def test_one_buffer_is_reported_once() -> None:
    told: list[dict[str, Any]] = []
    returned_arrays, buffer = ReturnedArrays(told.append, told.append), np.zeros(2)
    for number in range(4):
        buffer[1] = number
        returned_arrays.next("step" if number else "reset", {"buffer": buffer}, {})
    (change,) = told
    assert (change["what"], change["key"], change["place"], change["values"]) == (
        "observation",
        "observation['buffer']",
        (1,),
        ("0.0", "1.0"),
    )
    assert (change["returned_by"], change["changed_by"], change["same"]) == ("reset", "step", False)


def test_views_and_infos_are_reported_and_constants_are_not() -> None:
    told: list[dict[str, Any]] = []
    returned_arrays, memory, constant, visited = (
        ReturnedArrays(told.append, told.append),
        np.zeros(8),
        np.ones(3),
        [0],
    )
    for number in range(3):
        memory[number] = number + 1
        visited.append(number)
        returned_arrays.next("step", (memory[:4], constant), {"visited": visited})
    assert [change["key"] for change in told] == ["observation[0]", "info['visited']"]


def test_returned_arrays_are_released() -> None:
    class Observation(np.ndarray):
        pass

    returned_arrays = ReturnedArrays(print, print)
    first = np.zeros(1).view(Observation)
    gone = weakref.ref(first)
    returned_arrays.next("reset", first, {})
    del first
    for _ in range(2):
        returned_arrays.next("step", 0, {})
    gc.collect()
    assert gone() is None


def actions_written(*asked_and_left: tuple[Any, Any]) -> list[tuple[str, Any, Any]]:
    """Return where actions differ after step() from what they were before."""
    changes: list[dict[str, Any]] = []
    returned_arrays = ReturnedArrays(print, changes.append)
    for asked, left in asked_and_left:
        returned_arrays.stepped(freeze(asked), left)
    return [(change["key"], change["place"], change["values"]) for change in changes]


def test_the_first_action_that_step_writes_into_is_reported_once() -> None:
    pair = np.array([1.0, 2.0]), np.array([1.0, 0.5])
    assert actions_written((np.ones(2), np.ones(2)), pair, pair) == [
        ("action", (1,), ("2.0", "0.5"))
    ]
    agents = {"a": np.zeros(1)}, {"a": np.ones(1)}
    assert actions_written(agents) == [("action['a']", (0,), ("0.0", "1.0"))]


def test_an_action_that_is_used_up_or_of_an_own_class_is_not_written_into() -> None:
    class Order:
        def __array__(self) -> Any:
            return np.ones(1)

    assert not actions_written(({"a": 1, "b": 2}, {"a": 1}), (np.zeros(1), Order()), (3, 3))


class Base:
    __slots__ = ("__dict__",)


def test_generators_are_found_and_equal_states_have_equal_digests() -> None:
    one, other = Base(), Base()
    for base in (one, other):
        base.chance, base.rng, base.old = (
            random.Random(1),
            np.random.default_rng(1),
            np.random.RandomState(1),
        )  # type: ignore[attr-defined]
    states = randomness.states(one)
    assert {"random", "numpy.random", "self.chance", "self.rng", "self.old"} <= states.keys()
    assert states == randomness.states(other)
    one.rng.random()  # type: ignore[attr-defined]
    changed = {name for name, state in randomness.states(one).items() if states[name] != state}
    assert changed == {"self.rng"}
    assert "random" in randomness.states(object())


# Whole plays.


@pytest.fixture
def session() -> Iterator[Session]:
    with Session(sys.executable) as session:
        yield session


FILES = {
    "Plain": ("plain.py", "Plain"),
    "Rooms": ("det003_differs_between_processes.py", "Sick"),
    "Shared": ("interfering.py", "GlobalRandom"),
    "SeveralAims": ("rewarding.py", "SeveralAims"),
    "Repeats": ("det004_episode_repeated.py", "Sick"),
    "GoesOn": ("det004_episode_repeated.py", "Healthy"),
}


def play(session: Session, scenario: Scenario, name: str) -> Trace:
    file, target = FILES[name]
    trace = session.play(
        Subject(f"{file}:{target}", FILE, target, path=str(ENVS / file), directory=str(ENVS)),
        scenario,
        0,
    )
    assert trace.outcome.kind == FINISHED, trace.outcome
    return trace


def test_two_lifecycles_and_a_second_seed_are_compared(session: Session) -> None:
    same = play(session, PLAIN, "Plain").fact("same-seed")
    again = play(
        session,
        Scenario("reuse", "make reset step:3 reset step:3 reseed step:3 close drop"),
        "Plain",
    ).fact("reseeded")
    # 20 steps, and the reset after the tenth.
    assert (same["calls"], same["difference"], same["unknown"]) == (22, None, [])
    assert (again["calls"], again["difference"]) == (4, None)


@pytest.mark.parametrize(("name", "repeats"), [("Repeats", True), ("GoesOn", False)])
def test_episodes_without_a_seed_are_played_beside_other_seeds(
    session: Session, name: str, repeats: bool
) -> None:
    told = play(session, OTHER_SEEDS, name).fact("repeated")
    assert (told["difference"] is None) == repeats
    assert (told["episodes"], told["seeds"], told["otherwise"]) == (8, 3, 3)


def test_another_process_hashes_otherwise(session: Session) -> None:
    play(session, PLAIN, "Rooms")
    other, alike = (
        play(session, OTHER_PROCESS, "Rooms"),
        play(session, OTHER_PROCESS_ALIKE, "Rooms"),
    )
    assert other.fact("other-process")["difference"]["key"] == "observation"
    assert alike.fact("other-process-alike")["difference"] is None
    assert (
        len(
            {
                event["pid"]
                for trace in (other, alike)
                for event in trace.of("scenario", state="began")
            }
        )
        == 2
    )


@pytest.mark.parametrize("start_method", [None, "fork", "spawn"])
def test_instances_of_a_manager_are_asked_again_alone(
    session: Session, start_method: str | None
) -> None:
    manager = "gymnasium-async" if start_method else "gymnasium-sync"
    life = play(session, vector_life(manager, start_method), "Plain")
    assert life.fact("mirrored")["difference"]["step"] == 0
    told = play(session, REPLAY, "Plain").facts("replayed")
    assert [(one["manager"], one["start_method"]) for one in told] == [(manager, start_method)] * 2
    assert [(one["slot"], one["seed"]) for one in told] == [(0, 0), (1, 1)]
    assert [one["difference"] for one in told] == [None, None]
    assert [one["calls"] for one in told] == [11, 11]
    assert told[1]["seeds_matter"]


def test_life_with_a_whole_episode_is_compared_as_both(session: Session) -> None:
    life = vector_life("gymnasium-async", "spawn")
    joint = replace(life, script=life.script.replace("step", "episode:30 step", 1))
    assert play(session, joint, "Plain").fact("mirrored")["calls"] > 0
    told = play(session, REPLAY, "Plain").facts("replayed")
    assert [(one["slot"], one["seed"], one["calls"]) for one in told] == [(0, 0, 11), (1, 1, 11)]
    ends = play(session, COMPARED, "Plain").facts("ended-alone")
    assert [(one["scenario"], one["manager"], one["slot"]) for one in ends] == [
        ("episode", "gymnasium-async", 0),
        ("episode", "gymnasium-async", 1),
    ]
    assert [(one["alone"], one["difference"], one["begun"]) for one in ends] == [
        ([10, "terminated"], None, None)
    ] * 2
    # The plain life that is played as well is replayed in its place, and spoils no episode.
    play(session, life, "Plain")
    assert len(play(session, REPLAY, "Plain").facts("replayed")) == 2
    assert len(play(session, COMPARED, "Plain").facts("ended-alone")) == 2


def test_rewards_for_several_aims_are_compared_whole(session: Session) -> None:
    play(session, vector_life("gymnasium-async", "fork"), "SeveralAims")
    told = play(session, REPLAY, "SeveralAims").facts("replayed")
    assert [(one.get("skipped"), one["difference"], one["calls"]) for one in told] == [
        (None, None, 11)
    ] * 2


def test_instances_that_share_a_generator_differ(session: Session) -> None:
    play(session, vector_life("gymnasium-sync", None), "Shared")
    assert any(one["difference"] for one in play(session, REPLAY, "Shared").facts("replayed"))
