"""Beginnings of instances: with which seeds, observations and generators; what the hook notes, and
what the report says.
"""

from __future__ import annotations

import contextlib
import itertools
import random
import subprocess
import sys
import types
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from envdoctor.model import page
from envdoctor.model.page import FEW
from envdoctor.model.training import Training, training_in
from envdoctor.model.training_events import announced
from envdoctor.model.training_instances import Calls, Instances
from envdoctor.probe.live import seeds as hook
from envdoctor.probe.live.boot import Hook
from envdoctor.probe.live.counted import ResetCalls, Rows, counted
from envdoctor.probe.live.instances import WatchedInstances
from envdoctor.probe.live.seeds import note
from envdoctor.probe.live.steps import WatchedPlace
from envdoctor.probe.live.streams import states
from envdoctor.rules.evidence.training import ATTACHED, view_of, watched_view
from envdoctor.rules.training import trn011_equal_seeds as trn011
from envdoctor.rules.training import trn012_equal_beginnings as trn012
from envdoctor.rules.training import trn013_seed_given_again as trn013
from envdoctor.rules.training import trn014_episode_repeated as trn014
from envdoctor.watch.pages import Counts, JournalFile, PageReport, instances
from tests.support.zoo import COMMAND
from tests.watch.test_watch_trainings import SB3, python

PATIENCE = 600  # seconds

SCRIPT = """
import gymnasium, sys
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv

def make(seed=int(sys.argv[2])):
    env = gymnasium.make("CartPole-v1")
    env.reset(seed=seed if seed >= 0 else None)
    return env

if __name__ == "__main__":
    for number in (3, 1):  # the second is an evaluation
        envs = AsyncVectorEnv([make] * number, context="fork") if sys.argv[1] == "async" else SyncVectorEnv([make] * number)
        envs.reset(seed=int(sys.argv[3]) if len(sys.argv) > 3 else None)
        for _ in range(80):
            envs.step([0] * number)
        envs.close()
"""


@pytest.mark.parametrize(
    ("words", "accused"),
    [
        (("async", "7"), True),
        # The vectorizer's seeds come after those of the factory.
        pytest.param(("async", "7", "3"), False, marks=pytest.mark.everything),
        pytest.param(("sync", "-1"), False, marks=pytest.mark.everything),
    ],
)
def test_one_seed_for_all_is_named(tmp_path: Path, words: tuple[str, ...], accused: bool) -> None:
    script = tmp_path / "train.py"
    script.write_text(SCRIPT)
    done = subprocess.run(
        [str(COMMAND), "watch", "--", sys.executable, str(script), *words],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    text = " ".join(done.stderr.split())
    assert ("TRN011 equal-seeds" in text) == accused, done.stderr
    if accused:
        assert f"all 3 instances of CartPoleEnv made at {script}:6 began with seed 7" in text
        assert "`envs.reset(seed=SEED)` gives each its own" in text


ROW = page.WIDTH  # behind the head, in which are numbers of the process


def blank() -> list[int]:
    """A head and one row."""
    return [0] * (ROW + page.WIDTH)


def row(*beginnings: object, seeds: tuple[object, ...] = (), stepped_after: int = 0) -> list[int]:
    """The row of an instance after calls of reset(); it is stepped after the first of them."""
    numbers = blank()
    for at, returned in enumerate(beginnings):
        numbers[ROW + page.RESET] += 1
        note(numbers, ROW, seeds[at] if at < len(seeds) else None, returned)
        numbers[ROW + page.STEP] = int(at >= stepped_after)
    return numbers[ROW:]


def test_the_seed_before_the_first_step_is_the_one_that_counts() -> None:
    found = row(0, 1, 2, seeds=(7, np.int64(8)), stepped_after=1)
    assert (found[page.SEED], found[page.SEEDED], found[page.RESEEDED]) == (8, 2, 0)
    assert found[page.VARIED] == 1
    assert row(0, 1, seeds=(7, 8))[page.RESEEDED] == 1


def read(numbers: list[int], told: PageReport | None = None) -> Instances:
    """Return the doctor's reading of a row of process 7."""
    counts = Counts("counts-7", 7, 1, 0, {1: tuple(numbers)})
    return next(instances(counts, told or PageReport()))


@pytest.mark.parametrize("seed", [-1, 1 << 63, "7", 7.0, np.float64(7), np.zeros(3), np.array(7)])
def test_a_seed_that_the_page_cannot_hold_is_not_compared(seed: object) -> None:
    found = row(0, seeds=(seed,))
    assert found[page.RESEEDED] == 1
    assert read(found).seed is None
    assert read(row(0, 1, seeds=(7, seed), stepped_after=0)).seed == 7


class Takes:
    """Several reset() and their first arguments."""

    def seed(self, seed=None): ...

    def level(self, level=None, *, seed=None): ...

    def any(self, *args, **kwargs): ...


@pytest.mark.parametrize(
    ("reset", "args", "kwargs", "seed"),
    [
        (Takes.seed, (7,), {}, 7),
        (Takes.seed, (), {"seed": 7}, 7),
        (Takes.level, (7,), {}, None),
        (Takes.level, (7,), {"seed": 8}, 8),
        (Takes.any, (7,), {}, None),
        (Takes.any, (), {"seed": 8}, 8),
    ],
)
def test_a_first_argument_is_a_seed_where_it_is_called_so(reset, args, kwargs, seed) -> None:
    env, calls = Takes(), []
    numbers = [0] * (3 * page.WIDTH)
    rows = Rows({id(env): 2 * page.WIDTH + page.RESET})
    count = counted(
        reset,
        "reset",
        numbers,
        lambda: None,
        lambda *_: None,
        rows=rows,
        around=ResetCalls(lambda *_: "earlier", lambda *values: calls.append(values)),
    )
    count(env, *args, **kwargs)
    assert calls == [(2 * page.WIDTH, seed, None, env, "earlier")]


def test_a_vectorizer_in_a_worker_belongs_to_the_one_that_started_the_worker() -> None:
    told = PageReport()
    moment = {"pid": 7, "t": 0.0}
    inner = {**moment, "what": "instance", "page": "counts-7", "row": 1, "group": "7.1"}
    outer = {**moment, "what": "launch", "group": "1.1", "workers": [7]}
    told.take([announced(inner)])
    assert read(row(0), told).group == "7.1"
    told.take([announced(outer)])
    assert read(row(0), told).group == "1.1"


@pytest.mark.parametrize(("seeds", "judged"), [((None, None), False), ((None, 7), True)])
def test_seeds_that_reset_was_not_given_are_not_judged(seeds, judged: bool) -> None:
    reason = trn011.unjudged(view_of(*trn011._example(*seeds)))
    assert reason == (
        ""
        if judged
        else "no instance beside others was given a whole number as its seed by reset()"
    )


@pytest.mark.parametrize(
    ("known", "reason"),
    [
        ({}, ""),
        (
            {"varied": False, "reset": Calls(3, 3)},
            "2 instances with one seed began 3 episodes each, at least 2 that differ are needed",
        ),
        ({"beginning": 0}, "what reset() returned to instances with one seed cannot be compared"),
    ],
)
def test_equal_seeds_are_accused_only_where_chance_and_observations_are_known(
    known, reason: str
) -> None:
    """Without chance every episode is the same, and what is not known may differ."""
    view = view_of(*(replace(each, **known) for each in trn011._example(0, 0)))
    assert trn011.unjudged(view) == reason
    assert bool(list(trn011.equal_seeds.judge(view))) is (not reason)


def test_same_seeds_in_one_process_do_not_pass() -> None:
    """They may be those of a comparison."""
    vectorizers = [trn011._example(0, 1, group=f"1.{number}") for number in range(3)]
    view = view_of(*itertools.chain(*vectorizers))
    assert trn011.unjudged(view) == (
        "3 vectorizers of one process were given the same seeds, as a comparison does"
    )


@pytest.mark.parametrize(
    "known", [{"varied": False}, {"beginning": 0}, {"reseeded": 3}, {"type": "arm.Leg"}]
)
def test_shared_seeds_that_prove_nothing_are_not_reported(known) -> None:
    other = (replace(each, **known) for each in trn011._example(1, 2, group="1.2"))
    view = view_of(*trn011._example(0, 1), *other)
    assert list(trn011.equal_seeds.judge(view)) == []


def test_seeds_are_not_judged_from_outside() -> None:
    assert trn011.unjudged(watched_view(Training((), attached=True))) == ATTACHED


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        (np.zeros(3), np.zeros(3), True),
        (np.zeros(3), np.ones(3), False),
        ((np.float32(1), {"t": 1}), (np.float32(1), {"t": 2}), True),  # infos may differ
        ({"a": [1, 2]}, {"a": [1, 2]}, True),
        ({"a": [1, 2]}, {"a": [1, 3]}, False),
    ],
)
def test_observations_are_compared_by_their_bytes(one, other, alike: bool) -> None:
    assert (row(one)[page.BEGINNING] == row(other)[page.BEGINNING] != 0) == alike


@pytest.mark.parametrize("unknown", [object(), np.array([object()]), [], None, (None, {})])
def test_observation_that_cannot_be_compared_has_no_beginning(unknown: object) -> None:
    assert row(unknown)[page.BEGINNING] == 0


class Tensor:
    """As much of one of PyTorch's as is looked at."""

    def __init__(self, *numbers: float, device: str = "cpu", sparse: bool = False) -> None:
        self.numbers, self.sparse = numbers, sparse
        self.device = types.SimpleNamespace(type=device)

    def numel(self) -> int:
        return len(self.numbers)

    def element_size(self) -> int:
        return 8

    def detach(self) -> Tensor:
        return self

    def numpy(self) -> object:
        if self.sparse:
            raise TypeError
        return np.array(self.numbers)


Tensor.__module__ = "torch"


class Parts:
    """A framework's dict."""

    def __init__(self, **parts: object) -> None:
        self.parts = parts


def test_observations_of_a_framework_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    assert row(Parts(at=Tensor(1.0)))[page.BEGINNING] == 0
    monkeypatch.setitem(hook.CONTENTS, f"{__name__}.Parts", "parts")
    first, same, other = (row(Parts(at=Tensor(x)))[page.BEGINNING] for x in (1.0, 1.0, 2.0))
    assert first == same != other
    for unknown in (Tensor(1.0, device="cuda"), Tensor(1.0, sparse=True), Tensor(*[0.0] * 2**18)):
        assert row(Parts(at=unknown))[page.BEGINNING] == 0


def test_an_environment_without_chance_does_not_vary() -> None:
    assert row(*[0] * (2 * FEW))[page.VARIED] == 0


def play(
    *resets: tuple[object, object], instance: object = None, steps: object = None
) -> Instances:
    """Return what is known of an instance after calls of reset() with a seed each, and a step after
    each: (seed, what the instance returns, which may be a function).
    """
    numbers = blank()
    numbers[ROW + page.INSTANCES] = 1
    for seed, returned in resets:
        numbers[ROW + page.RESET] += 1
        earlier = hook.before(numbers, ROW, instance)
        value = returned() if callable(returned) else returned
        note(numbers, ROW, seed, value, instance, earlier)
        numbers[ROW + page.STEP] += 1
        if callable(steps):
            steps()
    return read(numbers[ROW:])


def test_seeds_that_come_again_are_counted_with_what_they_return() -> None:
    same = play(*[(5, 1)] * 4, (None, 2), (5, 3), (6, 1))
    assert (same.same, same.reseeded, same.alike, same.varied) == (4, 5, 3, True)
    assert play((None, 1), (5, 1), (5, 1)).same == 0  # it did not begin with a seed
    assert play(*[("a", 1)] * 3).same == 0


def test_observations_of_a_seed_that_comes_again_are_looked_at_a_few_times() -> None:
    assert play(*[(5, 1)] * 40).alike == FEW
    assert play((5, 1), *[(None, 2)] * 40, *[(5, 1)] * 20).alike == FEW


class Bandit:
    """Its step() returns what it was given."""

    def __init__(self, answer: object = 1.0) -> None:
        self.answer = answer

    def step(self, action):
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer, 0.5, False, False, {}

    def step_by_name(self, *args, **kwargs):
        return self.step(*args)


def after_steps(env: Bandit, *actions: object, method: object = Bandit.step) -> int:
    """The digest of an instance's steps, all of which are looked at but the last."""
    numbers = [0] * (3 * page.WIDTH)
    row, place = 2 * page.WIDTH, 2 * page.WIDTH + page.STEP
    numbers[row + page.ACTED_UNTIL] = len(actions) - 1
    rows = Rows({id(env): WatchedPlace(place)})
    count = counted(method, "step", numbers, lambda: None, lambda *_: None, None, rows)
    for action in actions:
        with contextlib.suppress(ValueError):
            count(env, action)
    assert numbers[place : place + 2] == [len(actions)] * 2
    assert type(rows[id(env)]) is int
    return numbers[row + page.ACTED]


@pytest.mark.parametrize("method", [Bandit.step, Bandit.step_by_name])
def test_steps_are_compared_by_what_they_are_given_and_return(method: object) -> None:
    first = after_steps(Bandit(), 0, 1, np.int64(0), 1, method=method)
    assert first > 0
    assert after_steps(Bandit(), 0, 1, np.int64(0), 0, method=method) == first  # not looked at
    assert after_steps(Bandit(), 0, 0, np.int64(0), 1, method=method) != first
    assert after_steps(Bandit(2.0), 0, 1, np.int64(0), 1, method=method) != first


@pytest.mark.parametrize("answer", [object(), ValueError()])
def test_steps_that_cannot_be_compared_are_not_known(answer: object) -> None:
    assert after_steps(Bandit(answer), 0, 1, 0) == page.UNKNOWN_ACTS
    numbers = [0] * page.WIDTH
    numbers[page.ACTED] = page.UNKNOWN_ACTS
    assert read(numbers).step_digest == 0


def turns(order: str) -> dict[str, int]:
    """Return how often each instance was stepped after another one, in its first steps."""
    numbers = [0] * (4 * page.WIDTH)
    envs = {name: Bandit() for name in sorted(set(order))}
    rows = Rows()
    for row, env in enumerate(envs.values(), start=1):
        numbers[row * page.WIDTH + page.ACTED_UNTIL] = page.ACTS
        rows[id(env)] = WatchedPlace(row * page.WIDTH + page.STEP)
    count = counted(Bandit.step, "step", numbers, lambda: None, lambda *_: None, None, rows)
    for name in order:
        count(envs[name], 0)
    return {name: numbers[row * page.WIDTH + page.TURNS] for row, name in enumerate(envs, start=1)}


def test_instances_that_are_stepped_in_turn_are_known() -> None:
    assert turns("ab" * 40) == {"a": page.ACTS, "b": page.ACTS}
    assert max(turns("a" * 40 + "b" * 40).values()) <= 1
    assert max(turns(("a" * 20 + "b" * 20) * 4).values()) <= 1


@pytest.mark.parametrize(
    ("known", "reason"),
    [
        ({"reset": Calls(4, 4)}, "processes with one seed began 4 episodes, at least 8 are needed"),
        ({"step_digests": (0, 5, 5)}, "the steps of processes with one seed cannot be compared"),
        ({"step_digests": (4, 5, 5)}, ""),
    ],
)
def test_processes_that_cannot_be_compared_do_not_pass(known, reason: str) -> None:
    assert trn011.unjudged(trn011._pool(0, 0, 0, **known)) == reason


def test_processes_that_play_alike_are_judged_when_the_training_is_over() -> None:
    (trace,) = trn011._pool(0, 0, 0).traces
    training = training_in(trace)
    assert training is not None
    for over in (True, False):
        seen = watched_view(replace(training, over=over))
        assert bool(list(trn011.equal_seeds.judge(seen))) is over


class Wrapper:
    """Gives a seed on to `inner`, or one of its own."""

    def __init__(self, inner, own=None):
        self.inner, self.own = inner, own

    def reset(self, *, seed=None):
        return self.inner(self.own if seed is None else seed)


class ReseedWrapper(Wrapper):
    def reset(self, *, seed=None):
        seed = self.own
        return self.inner(seed)


@pytest.mark.parametrize(
    ("kind", "own", "seed", "forced"),
    [(Wrapper, None, 5, False), (Wrapper, 5, None, True), (ReseedWrapper, 5, None, True)],
)
def test_seeds_that_a_wrapper_gives_are_known(kind, own, seed, forced: bool) -> None:
    numbers = blank()

    def reset(number: object) -> None:
        note(numbers, ROW, number, 1)

    for _ in range(2 * FEW):
        kind(reset, own).reset(seed=seed)
        numbers[ROW + page.STEP] += 1
    assert numbers[ROW + page.SAME] == 2 * FEW - 1
    assert bool(numbers[ROW + page.FORCED]) == forced


class Draws:
    """Draws from a generator of numpy's, as `how` says."""

    def __init__(self, how: str) -> None:
        self.how = how
        self.rng = np.random.default_rng(3)
        self.episode = 0

    def __call__(self) -> float:
        self.episode += 1
        if self.how == "made anew":
            self.rng = np.random.default_rng(3)
        elif self.how == "counts":
            return self.episode
        elif self.how == "one start":
            self.rng.random()
            return 1.0
        return self.rng.random()


@pytest.mark.parametrize(
    ("how", "varied", "moved", "set_back"),
    [
        ("goes on", True, True, False),
        ("made anew", False, False, True),
        ("counts", True, False, False),
        ("one start", False, True, False),
    ],
)
def test_generators_of_an_instance_are_followed(
    how: str, varied: bool, moved: bool, set_back: bool
) -> None:
    draws = Draws(how)
    known = play(*[(None, draws)] * 3, instance=draws)
    assert known.varied == varied
    assert ("self" in known.moved, "self" in known.set_back) == (moved, set_back)
    assert known.generators[page.OWN] != 0
    assert known.holds != 0


def test_generator_of_the_process_that_reset_seeds_is_set_back() -> None:
    def reset() -> float:
        random.seed(3)
        return random.random()

    state = random.getstate()
    try:
        known = play(*[(None, reset)] * 3, steps=random.random)
    finally:
        random.setstate(state)
    assert "random" in known.set_back
    assert "random" not in known.moved


class Holds:
    """Something that has attributes."""

    def __init__(self, **attributes: object) -> None:
        vars(self).update(attributes)


def test_generators_are_equal_where_their_states_are() -> None:
    first, second, third = (Holds(name="arm", rng=np.random.default_rng(n)) for n in (1, 1, 2))
    same, also, other = (states(each).digests[page.OWN] for each in (first, second, third))
    assert same == also != other
    assert states(Holds(engine=first)).digests[page.OWN] == same
    assert states(Holds(settings={"rng": 1})).digests[page.OWN] == 0
    assert states(first).holds != states(second).holds
    space = Holds(rng=np.random.default_rng(1))
    type(space).__module__, module = "gymnasium.spaces.box", type(space).__module__
    try:
        assert states(Holds(action_space=space)).digests[page.OWN] == 0
    finally:
        type(space).__module__ = module


class Lazy:
    """Says that it was asked for its class, or for an attribute."""

    asked = 0

    @property
    def __class__(self):
        Lazy.asked += 1
        return Lazy

    def __getattr__(self, name):
        Lazy.asked += 1
        raise AttributeError(name)


def test_no_code_of_what_an_instance_holds_runs() -> None:
    states(Holds(lazy=Lazy(), nested=Holds(lazy=Lazy())))
    states(Lazy())
    assert Lazy.asked == 0


@pytest.mark.parametrize(
    ("seed", "draws", "round_number", "drawn"),
    [(3, 1, False, True), (3, 0, False, False), (4, 1, False, False), (3, 1, True, False)],
)
def test_fractions_that_the_seed_decided_show_that_it_decides(
    seed: int, draws: int, round_number: bool, drawn: bool
) -> None:
    holder = Holds(rng=np.random.default_rng(3))
    value = holder.rng.random(draws) if draws else np.array([0.1])
    assert play((seed, np.floor(value) if round_number else value), instance=holder).drawn == drawn


@pytest.mark.parametrize(
    ("low", "high", "number", "offset", "drawn"),
    [
        (0, 2, 20, 0, True),
        (0, 9, 60, 0, True),
        (-3, 4, 40, 0, True),
        (0, 2, 8, 0, False),  # 256 boards: it may be chance
        (0, 2, 20, 1, False),  # it was drawn from before
        (7, 8, 20, 0, False),  # a fixed board
    ],
)
def test_integers_that_are_first_draws_of_the_seed_show_that_it_decides(
    low: int, high: int, number: int, offset: int, drawn: bool
) -> None:
    holder = Holds(rng=np.random.default_rng(3))
    holder.rng.random(offset)
    board = holder.rng.integers(low, high, number)
    for value in (board, board.astype(np.float32)):
        assert play((3, value), instance=holder).drawn == drawn
        assert not play((4, value), instance=holder).drawn
        assert not play((3, np.sort(value)), instance=holder).drawn


@pytest.mark.parametrize(
    ("seeded", "draws", "is_drawn_again"),
    [
        (100, 1, True),
        (1, 1, False),  # the generator goes on from the first reset()
        (2, 1, False),  # a later one does not take it back
        (100, 0, False),  # nothing is drawn from it in an episode
    ],
)
def test_generator_that_each_reset_takes_back_after_its_episode_drew_is_noted(
    seeded: int, draws: int, is_drawn_again: bool
) -> None:
    holder, resets = Holds(sampler=Holds(rng=np.random.default_rng(9))), itertools.count()

    def begin() -> float:
        if next(resets) < seeded:
            holder.sampler.rng = np.random.default_rng(42)
        return 50.0

    noted = play(
        *[(42, begin)] * 6, instance=holder, steps=lambda: holder.sampler.rng.random(draws)
    )
    assert (noted.drawn_again, noted.drawn) == (is_drawn_again, False)


def test_arguments_of_constructors_are_compared() -> None:
    assert hook.arguments((), {}) == hook.arguments((), {}) != 0
    assert hook.arguments((1, None), {"b": 2, "a": [3]}) == hook.arguments(
        (1, None), {"a": [3], "b": 2}
    )
    different = [((), {}), ((1,), {}), ((), {"a": 1}), ((), {"b": 1}), ((None,), {}), (("1",), {})]
    assert len({hook.arguments(*each) for each in different}) == len(different)
    assert hook.arguments((object(),), {}) == 0


@pytest.mark.parametrize(
    ("known", "reason"),
    [
        ({"beginning": 0}, "what reset() returned to 3 instances cannot be compared"),
        (
            {"varied": False},
            "3 instances began alike, and some of them in each episode: there may be one start",
        ),
        (
            {"moved": ()},
            (
                "3 instances began alike, and none of the random generators that Python holds is in"
                " the same state in all of them and goes on"
            ),
        ),
        ({"seed": 4}, "the instances of each vectorizer were given one seed"),
        ({"group": ""}, "no vectorizer with several instances was seen"),
        ({}, ""),
    ],
)
def test_beginnings_that_prove_nothing_are_not_judged(known, reason: str) -> None:
    view = view_of(*(replace(each, **known) for each in trn012._example()))
    assert trn012.unjudged(view) == reason
    assert bool(list(trn012.equal_beginnings.judge(view))) is (not reason)


def test_vectorizer_beside_a_busier_instance_is_not_compared() -> None:
    training = Training((), instances=trn012._example())
    busier = replace(training.instances[0], row=9, group="", by="", step=Calls(10**6, 10**6))
    view = view_of(*training.instances, busier)
    reason = "the instances of a vectorizer made less than half of the steps of another one"
    assert trn011.unjudged(view).startswith(reason)
    assert trn012.unjudged(view).startswith(reason)


@pytest.mark.parametrize(
    ("seeds", "known", "judged"),
    [((5,), {}, False), ((5, 6), {}, True), ((5,), {"same": 3, "reseeded": 3, "alike": 3}, True)],
)
def test_seed_that_may_not_decide_is_not_judged(seeds, known, judged: bool) -> None:
    reason = trn013.unjudged(view_of(*trn013._example(*seeds, **known)))
    assert reason == (
        ""
        if judged
        else "reset() of 1 instance was given one seed in every episode, and nothing shows that"
        " another seed begins otherwise"
    )


@pytest.mark.parametrize(
    ("seeds", "known", "reason"),
    [
        ((1, 2), {}, ""),
        ((1, 2), {"reset": Calls(9, 9)}, "no instance began 16 episodes"),
        ((1, 2), {"varied": True}, ""),
        (
            (1,),
            {},
            (
                "1 instance began each episode alike, and nothing shows that another seed begins"
                " otherwise: `envdoctor check` plays others"
            ),
        ),
    ],
)
def test_equal_episodes_that_prove_nothing_are_not_judged(seeds, known, reason: str) -> None:
    assert trn014.unjudged(view_of(*trn014._example(*seeds, **known))) == reason


@pytest.mark.parametrize("rule", [trn012, trn013, trn014])
def test_beginnings_are_not_judged_from_outside(rule) -> None:
    assert rule.unjudged(watched_view(Training((), attached=True))) == ATTACHED


BEGINNINGS = """
import sys
import gymnasium, numpy
from gymnasium.vector import AsyncVectorEnv

class Walk(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-9.0, 9.0, (2,))
    action_space = gymnasium.spaces.Discrete(2)
    def __init__(self):
        self.episode = self.steps = 0
    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.episode += 1
        self.steps = 0
        start = numpy.random.random(2) if sys.argv[1] == "inherits" else [self.episode / 7, 0.0]
        return numpy.array(start, "float32"), {}
    def step(self, action):
        self.steps += 1
        return numpy.zeros(2, "float32"), 0.0, False, self.steps == 5, {}

if __name__ == "__main__":
    if sys.argv[1] == "again":
        env = gymnasium.make("CartPole-v1")
        for _ in range(20):
            env.reset(seed=5)
            env.step(0)
        env.close()
    else:  # its workers inherit a generator, or play the same levels in the same order
        envs = AsyncVectorEnv([Walk] * 2, context="fork")
        envs.reset()
        for _ in range(60):
            envs.step([0, 0])
        envs.close()
"""


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("inherits", "without a seed: numpy.random is in the same state in all of them"),
        ("again", "was given seed 5 again 19 times"),
        pytest.param("levels", "", marks=pytest.mark.everything),
    ],
)
def test_beginnings_of_gymnasiums_trainings(tmp_path: Path, word: str, says: str) -> None:
    script = tmp_path / "train.py"
    script.write_text(BEGINNINGS)
    text = watched(sys.executable, script, word)
    assert says in text
    assert ("warning" in text) == bool(says), text


def watched(python: str, script: Path, *words: str) -> str:
    """Return what the report says, on one line."""
    done = subprocess.run(
        [str(COMMAND), "watch", "--", python, str(script), *words],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    return " ".join(done.stderr.split())


WITH_SB3 = """
import sys
from stable_baselines3.common.env_util import make_vec_env

if __name__ == "__main__":
    envs = make_vec_env("CartPole-v1", 2, seed=5)
    for update in range(20):
        if sys.argv[1] == "again":
            envs.seed(5)
        envs.reset()
        envs.step([0, 0])
    envs.close()
"""


@pytest.mark.parametrize(
    ("word", "accused"),
    [("again", True), pytest.param("once", False, marks=pytest.mark.everything)],
)
def test_seeds_that_stable_baselines3_gives_again(tmp_path: Path, word: str, accused: bool) -> None:
    script = tmp_path / "train.py"
    script.write_text(WITH_SB3)
    text = watched(python(SB3), script, word)
    assert ("TRN013 seed-given-again" in text) == accused, text
    assert ("2 instances of CartPoleEnv" in text) == accused


class Old:
    """An environment of the interface before Gym 0.26."""

    def __init__(self) -> None:
        self.seeds: list[object] = []

    def seed(self, seed: object = None) -> None:
        self.seeds.append(seed)

    def reset(self) -> int:
        return 0

    def step(self, action: int) -> int:
        return action


class SeedsItself(Old):
    def reset(self) -> int:
        self.seed(7)
        return 0


@pytest.mark.parametrize(
    ("kind", "numbers", "seeded", "repeated"),
    [
        (Old, (3, 3, 3), 3, 2),
        (Old, (3, 4, 5), 3, 0),
        (Old, (3, None, None), 1, 0),
        (SeedsItself, (None, None, None), 0, 0),
    ],
)
def test_number_given_to_seed_is_that_of_the_next_reset(
    tmp_path: Path, kind: type[Old], numbers: tuple[int | None, ...], seeded: int, repeated: int
) -> None:
    own = {name: getattr(kind, name) for name in ("seed", "reset", "step")}
    kind = type(kind.__name__, (kind,), own)  # its methods are replaced
    watched = WatchedInstances(hook := Hook(str(tmp_path), "", {}))
    Path(hook.journal).touch()
    methods = {name: name for name in ("reset", "step")}
    watched.created(kind, env := kind(), methods, object)
    for number in numbers:
        if number is not None:
            env.seed(number)
        env.reset()
        env.step(0)
    row = watched.page.numbers[page.FIRST * page.WIDTH : (page.FIRST + 1) * page.WIDTH]
    assert (row[page.SEEDED], row[page.SAME]) == (seeded, repeated)
    assert [number for number in env.seeds if number != 7] == [n for n in numbers if n is not None]


def test_line_that_gives_a_seed_again_is_journaled_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hook, "_again", set())
    kind = type("Old", (Old,), {name: getattr(Old, name) for name in ("seed", "reset", "step")})
    watched = WatchedInstances(Hook(str(tmp_path), "", {}))
    Path(watched.hook.journal).touch()
    watched.created(kind, env := kind(), {"reset": "reset", "step": "step"}, object)
    for _ in range(40):
        env.seed(3)
        env.reset()
        env.step(0)
    line = test_line_that_gives_a_seed_again_is_journaled_once.__code__.co_firstlineno + 9
    report = PageReport()
    journal = JournalFile(tmp_path)
    report.take(journal.read())
    journal.close()
    place = report.places["seeded-again", *next(iter(report.creations))]
    assert (place.file, place.line) == (__file__, line)
    numbers = watched.page.numbers[page.FIRST * page.WIDTH : (page.FIRST + 1) * page.WIDTH]
    assert numbers[page.SAME] == 39  # also those that are not looked at


class WarmingUp:
    """An environment whose reset() plays a step by itself, as LunarLander's and CarRacing's do."""

    def __init__(self) -> None:
        self.level = 0

    def reset(self, *, seed: int | None = None) -> np.ndarray:
        self.level += 1
        return np.array([self.level, self.step(0)])

    def step(self, action: int) -> float:
        return 0.5


@pytest.mark.parametrize("steps", [0, 3])
def test_steps_of_a_reset_do_not_begin_the_training(tmp_path: Path, steps: int) -> None:
    own = {name: getattr(WarmingUp, name) for name in ("reset", "step")}
    kind = type("WarmingUp", (WarmingUp,), own)  # its methods are replaced
    watched = WatchedInstances(Hook(str(tmp_path), "", {}))
    Path(watched.hook.journal).touch()
    watched.created(kind, env := kind(), {"reset": "reset", "step": "step"}, object)
    env.reset(seed=7)
    for _ in range(steps):
        env.step(0)
    env.reset(seed=8)
    row = watched.page.numbers[page.FIRST * page.WIDTH : (page.FIRST + 1) * page.WIDTH]
    assert (row[page.SEEDED], row[page.RESEEDED]) == (2, int(steps > 0))
    assert row[page.SEED] == (7 if steps else 8)  # of the last one before the first step
    assert row[page.BEGINNING] != 0
    assert row[page.VARIED] == int(steps > 0)
    assert (row[page.STEP], row[page.OWN_STEPS]) == (2 + steps, 2)
    report = PageReport()
    journal = JournalFile(tmp_path)
    report.take(journal.read())
    journal.close()
    assert not report.episodes
