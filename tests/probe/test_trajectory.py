"""Trajectories: what is frozen stays, what is compared is exact, and what cannot be compared is
never an accusation.
"""

from __future__ import annotations

import errno
import gc
import marshal
import math
import os
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from envdoctor.model.trajectory import Call
from envdoctor.probe.comparison.frozen import (
    LARGEST,
    ValueDifference,
    first_difference,
    freeze,
    opaque_parts,
    thaw,
)
from envdoctor.probe.comparison.trajectory import Recorder, compare, load

plain = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=9)
    | st.binary(max_size=9)
)
dtypes = st.sampled_from(["<f4", "<f8", "<f2", "<i8", "|u1", "|b1", "<U3", "<c8", "<M8[s]"])
arrays = dtypes.flatmap(
    lambda dtype: hnp.arrays(
        dtype, hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3)
    )
)
keys = st.text(max_size=5) | st.integers()
values = st.recursive(
    plain | arrays,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(keys, inner, max_size=3)
        | st.tuples(inner, inner)
    ),
    max_leaves=8,
)


@given(values)
def test_freezing_twice_gives_equal_values(value: Any) -> None:
    assert first_difference(freeze(value), freeze(value)) is None
    assert list(opaque_parts(freeze(value))) == []


@given(values)
def test_thawing_restores_a_frozen_value(value: Any) -> None:
    assert (
        freeze(thaw(freeze(value))) == freeze(value)
        or first_difference(freeze(thaw(freeze(value))), freeze(value)) is None
    )


@given(values, values)
def test_a_difference_is_seen_from_both_sides(one: Any, other: Any) -> None:
    there, back = (
        first_difference(freeze(one), freeze(other)),
        first_difference(freeze(other), freeze(one)),
    )
    assert (there is None) == (back is None)
    if there and back:
        assert (there.key, there.what, there.place) == (back.key, back.what, back.place)


@given(
    hnp.arrays(
        st.sampled_from(["<f4", "<i4", "|u1"]),
        hnp.array_shapes(max_dims=3, max_side=4),
        elements=st.integers(0, 9),
    ),
    st.data(),
)
def test_one_changed_element_is_found_where_it_is(array: Any, data: Any) -> None:
    place = tuple(data.draw(st.integers(0, side - 1)) for side in array.shape)
    changed = array.copy()
    changed[place] += 1
    found = first_difference(freeze({"a": [array]}), freeze({"a": [changed]}))
    assert found == ValueDifference(
        "['a'][0]", "value", (str(array[place]), str(changed[place])), place
    )


@given(values)
def test_a_file_keeps_what_was_recorded(
    tmp_path_factory: pytest.TempPathFactory, value: Any
) -> None:
    path = tmp_path_factory.mktemp("t") / "a.trajectory"
    recorder = Recorder(str(path))
    recorder.add("reset", seed=3, observation=value, info={"a": 1})
    recorder.add("step", action=value, observation=value, reward=1.0, terminated=False)
    recorder.save()
    first, second = load(str(path))
    assert (first.name, first.seed, first.observation) == (
        "reset",
        3,
        freeze(value),
    ) or first_difference(first.observation or (), freeze(value)) is None
    assert first_difference(second.action or (), freeze(value)) is None
    assert compare([first, second], [first, second]).calls == 2


class Colour(Enum):
    RED = 1


@dataclass
class Pose:
    x: float
    grip: Any


@pytest.mark.parametrize(
    ("one", "other", "what"),
    [
        (math.nan, math.nan, None),
        (np.float32(math.nan), -np.float32(math.nan), None),
        (np.array([0.0, math.nan]), np.array([-0.0, math.nan]), None),
        (np.datetime64("NaT"), np.datetime64("NaT"), None),
        ({"b": 1, "a": 2}, {"a": 2, "b": 1}, None),
        ({"x", "y"}, {"y", "x"}, None),
        (Pose(1.0, np.zeros(2)), Pose(1.0, np.zeros(2)), None),
        (np.array([{"a": 1}, None], dtype=object), np.array([{"a": 1}, None], dtype=object), None),
        (object(), object(), None),
        (object(), 1, None),
        (1, True, "type"),
        (1, np.int64(1), "type"),
        (np.float64(1), np.array(1.0), "type"),
        (np.zeros(2, np.float32), np.zeros(2), "dtype"),
        (np.zeros(2), np.zeros((1, 2)), "shape"),
        ({"a": 1}, {"b": 1}, "keys"),
        ((1, 2), (1, 2, 3), "length"),
        (Colour.RED, "RED", "type"),
        (Pose(1.0, 2), Pose(1.0, 3), "value"),
        ("go", "stop", "value"),
        ("go", np.array(["go"])[0], None),  # what managers make of a text
        (np.array([("a", 1)], dtype="U1,i4"), np.array([("a", 2)], dtype="U1,i4"), "value"),
    ],
)
def test_first_difference_has_its_kind(one: Any, other: Any, what: str | None) -> None:
    found = first_difference(freeze(one), freeze(other))
    assert (found.what if found else None) == what


@pytest.mark.parametrize(
    "make",
    [lambda number: np.full(LARGEST, number), lambda number: str(number) * (LARGEST + 1)],
    ids=["array", "text"],
)
def test_large_value_is_digested(make: Callable[[int], Any]) -> None:
    found = first_difference(freeze(make(1)), freeze(make(2)))
    assert found is not None
    assert (found.what, found.place) == ("contents", None)
    assert first_difference(freeze(make(1)), freeze(make(1))) is None
    with pytest.raises(ValueError, match="cannot be thawed"):
        thaw(freeze(make(1)))


@pytest.mark.parametrize(
    "value", [np.arange(100), "x" * 100, b"x" * 100, {"a": np.arange(100)}], ids=repr
)
def test_size_limit_of_freezing_makes_no_difference(value: Any) -> None:
    assert first_difference(freeze(value, 10), freeze(value)) is None
    assert first_difference(freeze(value), freeze(value, 10)) is None
    other = first_difference(freeze(np.arange(1, 101), 10), freeze(np.arange(100)))
    assert other is not None
    assert other.what == "contents"


class Hostile:
    @property
    def __array__(self) -> Any:
        raise KeyboardInterrupt if False else RuntimeError("no")


def test_unfreezable_value_is_opaque() -> None:
    nested: dict[str, Any] = {}
    nested["self"] = nested
    for value in (
        Hostile(),
        nested,
        {object(): 1},
        lambda: None,
        list(range(100_000)),
        np.array([object()]),
    ):
        assert list(opaque_parts(freeze(value))), value


def test_nothing_of_the_environments_is_kept(tmp_path: Path) -> None:
    class Observation(np.ndarray):
        pass

    observation = np.zeros(3).view(Observation)
    gone = weakref.ref(observation)
    recorder = Recorder(str(tmp_path / "a"))
    recorder.add("reset", observation=observation, info={"last": observation})
    before = freeze(observation)
    observation[0] = 1
    assert before == freeze(np.zeros(3))
    del observation
    gc.collect()
    assert gone() is None


def trajectory(
    path: Path, *observations: Any, seed: int = 0, actions: tuple[Any, ...] = ()
) -> list[Call]:
    recorder = Recorder(str(path))
    recorder.add("reset", seed=seed, observation=observations[0])
    for index, observation in enumerate(observations[1:]):
        recorder.add(
            "step",
            action=actions[index] if actions else 0,
            observation=observation,
            reward=1.0,
            info={"clock": index},
        )
    recorder.save()
    return load(str(path))


def test_the_first_difference_of_two_trajectories(tmp_path: Path) -> None:
    one, other = (trajectory(tmp_path / "a", {"x": 1}, {"x": 2}, {"x": last}) for last in (3, 4))
    found = compare(one, other)
    assert (found.call, found.step, found.calls) == ("step", 2, 3)
    assert found.difference == ValueDifference("observation['x']", "value", ("3", "4"))
    assert compare(one, one[:2]).as_dict() == {"calls": 2, "unknown": [], "difference": None}


def test_other_seeds_and_other_actions_are_not_compared(tmp_path: Path) -> None:
    assert compare(trajectory(tmp_path / "a", 1), trajectory(tmp_path / "a", 2, seed=1)).calls == 0
    one, other = (
        trajectory(tmp_path / "a", 1, 2, 3, actions=(0, 0)),
        trajectory(tmp_path / "a", 1, 2, 4, actions=(0, 1)),
    )
    assert compare(one, other).as_dict() == {"calls": 2, "unknown": [], "difference": None}


def test_opaque_part_is_reported(tmp_path: Path) -> None:
    one, other = (trajectory(tmp_path / "a", {"map": Hostile(), "x": 1}) for _ in range(2))
    assert compare(one, other).unknown == (f"observation['map'] is {__name__}.Hostile",)


def test_a_recording_is_bounded(tmp_path: Path) -> None:
    path = tmp_path / "a"
    recorder = Recorder(str(path))
    for _ in range(200):
        recorder.add("reset", observation=np.zeros(LARGEST, np.uint8))
    recorder.save()
    assert path.stat().st_size < 5 * 1024 * 1024
    assert (load(str(path))[-1].observation or ())[0] == "digest"


def test_a_recording_that_was_cut_short_or_never_made(tmp_path: Path) -> None:
    path = tmp_path / "a"
    trajectory(path, 1, 2, 3)
    path.write_bytes(path.read_bytes()[:-5])
    assert len(load(str(path))) == 2
    assert load(str(tmp_path / "nothing")) == []


def test_a_recording_that_cannot_be_written_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int, data: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    recorder = Recorder(str(tmp_path / "a"))
    recorder.add("step", action=1)
    with monkeypatch.context() as patched:
        patched.setattr(os, "write", full)
        recorder.save()
    assert load(str(tmp_path / "a")) == []


@pytest.mark.parametrize(
    "value",
    [
        None,
        {"call": "reset"},
        ("reset",),
        (1, *Call("reset")[1:]),
        Call("reset", slot="0"),  # type: ignore[arg-type]
        Call("reset", seed=0.5),  # type: ignore[arg-type]
        Call("step", action=1),  # type: ignore[arg-type]
        Call("step", observation=()),
    ],
)
def test_malformed_call_is_not_read(tmp_path: Path, value: Any) -> None:
    with pytest.raises(ValueError, match="expected"):
        Call.decode(tuple(value) if isinstance(value, Call) else value)
    path = tmp_path / "a"
    whole = trajectory(path, 1)
    path.write_bytes(path.read_bytes() + marshal.dumps(tuple(value or ())))
    assert load(str(path)) == whole


def test_deeply_nested_value_is_bounded() -> None:
    many: Any = 1
    for _ in range(6):
        many = [many] * 100
    assert list(opaque_parts(freeze(many)))
    assert len(str(first_difference(freeze({"k" * 9999: 1}), freeze({"k" * 9999: 2})))) < 300
