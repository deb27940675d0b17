"""The bytes of the Python objects that an object leads to."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

from envdoctor.probe.growth import reachable

MANY = 1 << 20


class Environment:
    def __init__(self, held: Any) -> None:
        self.parts = [{"held": held}]


class Slots:
    __slots__ = ("held",)

    def __init__(self, held: Any) -> None:
        self.held = held


class Untrue:
    def __sizeof__(self) -> int:
        return 100 * MANY


@pytest.mark.parametrize(
    "held",
    [
        np.zeros(MANY, np.uint8),
        np.zeros(MANY, np.uint8)[10:20],
        bytearray(MANY),
        list(range(MANY // 32)),
        Slots(np.zeros(MANY, np.uint8)),
        ctypes.create_string_buffer(MANY),
    ],
    ids=["array", "view", "bytes", "list", "slots", "ctypes"],
)
def test_bytes_of_what_an_environment_keeps_are_counted(held: Any) -> None:
    found = reachable.reachable_bytes(Environment(held))
    assert found is not None
    assert MANY <= found < 2 * MANY


def test_object_is_counted_once_and_its_program_not_at_all() -> None:
    held = bytearray(MANY)
    first = Environment([held, held, np, Environment, print])
    first.parts.append({"held": first})
    found = reachable.reachable_bytes(first)
    assert found is not None
    assert MANY <= found < 2 * MANY


def test_size_claimed_by_a_class_is_not_used() -> None:
    found = reachable.reachable_bytes(Environment(Untrue()))
    assert found is not None
    assert found < MANY


def test_too_many_objects_are_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reachable, "MAX_OBJECTS", 10)
    assert reachable.reachable_bytes(Environment([str(number) for number in range(20)])) is None
