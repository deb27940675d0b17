"""The parts of filling a replay storage that need no framework."""

from __future__ import annotations

import weakref
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from envdoctor.probe.replay import fidelity, holders, sizes
from envdoctor.probe.replay import files as leavings
from envdoctor.probe.replay.collection import LONGEST, Walk
from envdoctor.probe.replay.sizes import Sizes
from envdoctor.probe.replay.storages import Store, modules


class Shelf(Store):
    """A ring of references."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.kept: dict[int, Any] = {}

    def add(self, number: int, packed: Any) -> None:  # type: ignore[override]
        self.kept[number % self.capacity] = packed

    def __len__(self) -> int:
        return len(self.kept)

    def read(self, slot: int) -> dict[str, Any]:
        return {"obs": self.kept[slot]}

    def leaves(self, slots: Any) -> dict[str, list[Any]]:
        return {"obs": [self.kept[slot] for slot in slots]}


def stock(
    values: list[Any], capacity: int = 4
) -> tuple[Shelf, fidelity.Fingerprints, fidelity.Witnesses]:
    shelf, prints = Shelf(capacity), fidelity.Fingerprints(len(values))
    witnesses = fidelity.Witnesses(shelf, capacity)
    for number, value in enumerate(values):
        prints.take(number, {"obs": value})
        shelf.add(number, value)
        if number >= len(values) - 2:
            witnesses.add(number, {"obs": value})
    return shelf, prints, witnesses


def test_stored_values_are_kept_unchanged() -> None:
    values = [np.full(3, number) for number in range(9)]
    shelf, prints, witnesses = stock(values)
    assert fidelity.changed(shelf, prints, 9, 4) == (4, [])
    assert witnesses.first_change() is None


def test_an_array_that_is_written_over_is_found_in_every_slot() -> None:
    one = np.zeros(3)
    shelf, prints, witnesses = stock([one] * 9)
    one[:] = 7.0
    assert fidelity.changed(shelf, prints, 9, 4) == (4, [5, 6, 7, 8])
    change = witnesses.first_change()
    assert change is not None
    assert (change.key, change.place, change.values) == ("obs", (0,), ("0.0", "7.0"))
    assert fidelity.shared(shelf, range(4), "obs") == [0, 1, 2, 3]


def test_slices_are_compared_without_what_a_sampler_marks() -> None:
    prints = fidelity.Fingerprints(2)
    prints.take(0, {"obs": 1, "next.truncated": False})
    assert prints.same_in_slice(0, {"obs": 1})
    assert not prints.same_in_slice(0, {"obs": 2})
    assert not prints.same(0, {"obs": 1})


@pytest.mark.parametrize(
    ("space", "told"),
    [
        (gym.spaces.Box(0, 255, (84, 84, 4), np.uint8), 84 * 84 * 4),
        (gym.spaces.Discrete(3), 8),
        (
            gym.spaces.Dict(
                {"a": gym.spaces.MultiBinary(5), "b": gym.spaces.Box(0, 1, (2,), np.float64)}
            ),
            5 + 16,
        ),
        (gym.spaces.Tuple((gym.spaces.Discrete(3), gym.spaces.Text(4))), None),
        (None, None),
    ],
)
def test_sizes_of_spaces(space: Any, told: int | None) -> None:
    leaves = sizes.spaces(space)
    assert (None if leaves is None else sum(leaf[2] for leaf in leaves)) == told


def test_an_environment_that_holds_what_it_returned_is_named() -> None:
    class Arm:
        def __init__(self) -> None:
            self.log = [np.zeros(2), np.ones(2)]

    arm = Arm()
    assert holders.holder(arm, weakref.ref(arm.log[1])) == "<Arm>.log[1]"
    loose = weakref.ref(arm.log.pop())
    assert holders.holder(arm, loose) == ""


def test_a_walk_cuts_what_never_ends() -> None:
    class Endless(gym.Env):  # type: ignore[misc]
        action_space = gym.spaces.Discrete(2)

        def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
            super().reset(seed=seed)
            return 0, {}

        def step(self, action: Any) -> Any:
            return 0, 1.0, False, False, {}

    walk = Walk(Endless(), 0)
    steps = [walk.next(lambda observation: observation) for _ in range(LONGEST + 1)]
    assert [one.truncated for one in steps] == [False] * (LONGEST - 1) + [True, False]
    assert steps[-1].episode == 1
    assert [one.number for one in steps] == list(range(LONGEST + 1))


def test_files_below_a_folder(tmp_path: Any) -> None:
    (tmp_path / "a").mkdir()
    frames = np.memmap(tmp_path / "a" / "frames", np.uint8, "w+", shape=(4096,))
    frames[:] = 1
    frames.flush()
    assert leavings.mapped(str(tmp_path)) == [str(tmp_path / "a" / "frames")]
    assert set(leavings.files(str(tmp_path))) == {str(tmp_path / "a" / "frames")}
    leavings.in_child((tmp_path / "a" / "frames").unlink)
    assert leavings.files(str(tmp_path)) == {}


def test_every_storage_is_a_whole_one() -> None:
    for name, module in modules().items():
        assert name == module.NAME
        assert module.PLACE in ("memory", "shared")
        parts = module.parts(Sizes(100, 8, 1, 1, "float32", (25,), False, "int64"))
        assert parts["observation"] == 100
        assert all(isinstance(size, int) for size in parts.values())
