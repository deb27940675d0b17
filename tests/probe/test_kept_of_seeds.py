"""What an instance keeps of seeds that it was not given before."""

from __future__ import annotations

import numpy as np

from envdoctor.probe.growth.kept_of_seeds import kept, read
from envdoctor.probe.growth.reachable import MAX_OBJECTS


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


def played(drive: Drive, rounds: int = 3, resets: int = 8) -> dict[str, object]:
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
    result = played(Drive(1000))
    assert result["objects"] == {"Map": 16}
    assert result["arrays"] == {"Map.image": 16 * 8000}
    assert all(8 * 8000 < each < 8 * 9000 for each in result["rounds"])  # type: ignore[attr-defined]


def test_nothing_is_kept_where_there_is_no_room() -> None:
    result = played(Drive(0))
    assert result["rounds"][-1] == 0  # type: ignore[index]
    assert (result["objects"], result["arrays"]) == ({}, {})
    assert played(Drive(12))["objects"] == {}  # full in the second round


def test_too_much_is_not_looked_at() -> None:
    drive = Drive(0)
    drive.map = [str(number) for number in range(MAX_OBJECTS + 1)]  # type: ignore[assignment]
    assert read(drive, lambda _: True) is None
