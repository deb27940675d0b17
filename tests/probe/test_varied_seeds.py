"""Seeds that an instance was not given before: cycles with them, and what it keeps of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from envdoctor.probe.growth.cycles import OpenCycles, Size
from envdoctor.probe.growth.kept_of_seeds import kept, read
from envdoctor.probe.growth.reachable import MAX_OBJECTS
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


class Map:
    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.image = np.full(1000, float(seed))


class Drive:
    """It keeps the maps of those seeds that it has room for."""

    def __init__(self, room: int) -> None:
        self.maps: dict[int, Map] = {}
        self.room = room

    def reset(self, seed: int) -> None:
        self.map = self.maps.get(seed) or Map(seed)
        if len(self.maps) < self.room:
            self.maps[seed] = self.map


def kept_after(drive: Drive, rounds: int = 3, resets: int = 8) -> dict[str, object]:
    """What is kept of rounds of resets, each with a seed of its own."""
    readings = []
    for number in range(1, rounds * resets + 1):
        drive.reset(number)
        if number % resets == 0:
            drive.reset(0)
            reading = read(drive, lambda file: file == __file__)
            assert reading is not None
            readings.append(reading)
    return kept(resets, readings)


def test_objects_and_arrays_that_are_kept_of_each_seed_are_counted() -> None:
    result = kept_after(Drive(1000))
    assert result["objects"] == {"Map": 16}
    assert result["arrays"] == {"Map.image": 16 * 8000}
    assert all(8 * 8000 < each < 8 * 9000 for each in result["rounds"])  # type: ignore[attr-defined]


def test_nothing_is_kept_where_there_is_no_room() -> None:
    result = kept_after(Drive(0))
    assert result["rounds"][-1] == 0  # type: ignore[index]
    assert (result["objects"], result["arrays"]) == ({}, {})
    assert kept_after(Drive(12))["objects"] == {}  # full in the second round


def test_too_much_is_not_looked_at() -> None:
    drive = Drive(0)
    drive.map = [str(number) for number in range(MAX_OBJECTS + 1)]  # type: ignore[assignment]
    assert read(drive, lambda _: True) is None
