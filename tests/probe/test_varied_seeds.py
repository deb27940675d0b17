"""Cycles of an open instance with other seeds: none of them had been met by this process."""

from __future__ import annotations

from typing import Any

from envdoctor.probe.growth.cycles import OpenCycles, Size
from tests.envs.plain import Plain


class Noting(Plain):
    """Notes the seeds and the first actions that it is given."""

    def __init__(self) -> None:
        super().__init__()
        self.seeds: list[Any] = []
        self.actions: list[Any] = []

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        self.seeds.append(seed)
        self.actions.append(())
        return super().reset(seed=seed, options=options)

    def step(self, action: Any) -> Any:
        self.actions[-1] += (int(action),)
        return super().step(action)


def _cycles(times: int, *, varies: bool) -> Noting:
    cycles = OpenCycles(Noting, 0, lambda environment: environment, print)
    cycles.varies = varies
    for _ in range(times):
        cycles.run(Size(1, 1, 9))
    noting: Noting = cycles.environment
    return noting


def test_one_seed_is_repeated_with_the_same_actions() -> None:
    noting = _cycles(5, varies=False)
    assert noting.seeds == [0] * 5
    assert len(set(noting.actions)) == 1


def test_seeds_go_on_in_the_next_search_of_a_process() -> None:
    """A cache of a module has met those of the one before."""
    first, second = (_cycles(5, varies=True) for _ in range(2))
    seeds = [*first.seeds, *second.seeds]
    assert len(set(seeds)) == 10
    assert 0 not in seeds
    assert len({*first.actions, *second.actions}) > 5
