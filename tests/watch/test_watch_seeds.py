"""Workers that begin with one seed: what the hook notes, and what the report says."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from envdoctor.model import page
from envdoctor.model.page import FEW
from envdoctor.model.training import Calls, Instances, Training, announced
from envdoctor.probe.live.counted import Rows, counted
from envdoctor.probe.live.seeds import note
from envdoctor.rules.evidence.training import ATTACHED, watched_view
from envdoctor.rules.training import trn011_equal_seeds as trn011
from envdoctor.watch.pages import Counts, Told, instances
from tests.support.zoo import COMMAND

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


def row(*beginnings: object, seeds: tuple[object, ...] = (), stepped_after: int = 0) -> list[int]:
    """The row of an instance after calls of reset(); it is stepped after the first of them."""
    numbers = [0] * page.WIDTH
    for at, returned in enumerate(beginnings):
        numbers[page.RESET] += 1
        note(numbers, 0, seeds[at] if at < len(seeds) else None, returned)
        numbers[page.STEP] = int(at >= stepped_after)
    return numbers


def test_the_seed_before_the_first_step_is_the_one_that_counts() -> None:
    found = row(0, 1, 2, seeds=(7, np.int64(8)), stepped_after=1)
    assert (found[page.SEED], found[page.SEEDED], found[page.RESEEDED]) == (8, 2, 0)
    assert found[page.VARIED] == 1
    assert row(0, 1, seeds=(7, 8))[page.RESEEDED] == 1


def read(numbers: list[int], told: Told | None = None) -> Instances:
    """What the doctor reads of a row of process 7."""
    counts = Counts("counts-7", 7, 1, 0, {1: tuple(numbers)})
    return next(instances(counts, told or Told()))


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
        rows=rows,
        begun=(lambda row, instance: "earlier", lambda *values: calls.append(values)),
    )
    count(env, *args, **kwargs)
    assert calls == [(2 * page.WIDTH, seed, None, env, "earlier")]


def test_a_vectorizer_in_a_worker_belongs_to_the_one_that_started_the_worker() -> None:
    told = Told()
    moment = {"pid": 7, "t": 0.0}
    inner = {**moment, "what": "instance", "page": "counts-7", "row": 1, "group": "7.1"}
    outer = {**moment, "what": "launch", "group": "1.1", "workers": [7]}
    told.take([announced(inner)])
    assert read(row(0), told).group == "7.1"
    told.take([announced(outer)])
    assert read(row(0), told).group == "1.1"


@pytest.mark.parametrize(("seeds", "judged"), [((None, None), False), ((None, 7), True)])
def test_seeds_that_reset_was_not_given_are_not_judged(seeds, judged: bool) -> None:
    reason = trn011.unjudged(trn011._view(*trn011._example(*seeds)))
    assert reason == (
        "" if judged else "no instance was given a whole number as its seed by reset()"
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
def test_what_begins_alike_without_a_seed_is_not_accused(known, reason: str) -> None:
    """Without chance every episode is the same, and what is not known may differ."""
    seen = trn011._view(*(replace(one, **known) for one in trn011._example(0, 0)))
    assert trn011.unjudged(seen) == reason
    assert bool(list(trn011.equal_seeds.judge(seen))) is (not reason)


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
def test_what_cannot_be_compared_is_not_known(unknown: object) -> None:
    assert row(unknown)[page.BEGINNING] == 0


def test_an_environment_without_chance_does_not_vary() -> None:
    assert row(*[0] * (2 * FEW))[page.VARIED] == 0
