"""Frozen dataclasses with one generated function behave as those of the standard library."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import math
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pytest

import envdoctor
from envdoctor.model import fast_dataclass

MAKERS = (dataclasses.dataclass, fast_dataclass.dataclass)


def _point(dataclass: Callable[..., Any]) -> Any:
    @dataclass(frozen=True)
    class Point:
        x: int
        y: float = 0.5
        tags: list[str] = dataclasses.field(default_factory=list)
        note: str = dataclasses.field(default="", compare=False, repr=False)

    return Point


@fast_dataclass.dataclass(frozen=True)
class Base:
    name: str

    def __post_init__(self) -> None:
        if not self.name:
            raise ValueError("a name is needed")


@fast_dataclass.dataclass(frozen=True)
class Derived(Base):
    size: int = 3

    def __repr__(self) -> str:
        return f"<{self.name}>"


@pytest.mark.parametrize("maker", MAKERS)
def test_values_compare_and_print_by_their_fields(maker: Callable[..., Any]) -> None:
    point = _point(maker)
    assert point(1, note="a") == point(1, 0.5, [])
    assert point(1) != point(2)
    assert point(1) != (1, 0.5, [], "")
    assert repr(point(1)).endswith("Point(x=1, y=0.5, tags=[])")
    assert point(1, math.nan) == point(1, math.nan)
    assert point(1).tags is not point(1).tags
    assert point.y == 0.5
    assert not hasattr(point, "tags")


def test_constructors_have_the_same_parameters() -> None:
    """From the first instance on: until then, the constructor is not compiled."""
    points = [_point(maker) for maker in MAKERS]
    standard, fast = (inspect.signature(type(point(1))) for point in points)
    assert list(standard.parameters) == list(fast.parameters)
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'x'"):
        _point(fast_dataclass.dataclass)()


@pytest.mark.parametrize("maker", MAKERS)
def test_fields_cannot_be_changed(maker: Callable[..., Any]) -> None:
    value = _point(maker)(1)
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'x'"):
        value.x = 2
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot delete field 'x'"):
        del value.x
    assert dataclasses.replace(value, x=2).x == 2
    assert dataclasses.asdict(value) == {"x": 1, "y": 0.5, "tags": [], "note": ""}


def test_subclasses_have_the_fields_of_both_and_keep_their_own_methods() -> None:
    value = Derived("a")
    assert (value.name, value.size, repr(value)) == ("a", 3, "<a>")
    assert hash(value) == hash(Derived("a", 3))
    assert value != Base("a")
    assert pickle.loads(pickle.dumps(value)) == copy.deepcopy(value) == value
    with pytest.raises(ValueError, match="a name is needed"):
        Derived("")


@pytest.mark.parametrize("maker", MAKERS)
def test_classes_of_the_standard_library_can_inherit(maker: Callable[..., Any]) -> None:
    @dataclasses.dataclass(frozen=True, kw_only=True)
    class More(_point(maker)):  # type: ignore[misc]
        more: int

    assert More(x=1, more=2) == More(x=1, more=2)
    with pytest.raises(TypeError, match="cannot inherit non-frozen"):

        @dataclasses.dataclass
        class Mutable(_point(maker)):  # type: ignore[misc]
            pass


def test_other_options_are_left_to_the_standard_library() -> None:
    @fast_dataclass.dataclass
    class Mutable:
        x: int = 0

    value = Mutable()
    value.x = 4
    assert value == Mutable(4)


def test_frozen_dataclasses_of_the_package_are_the_fast_ones() -> None:
    """One of the standard library costs each command a millisecond."""
    package = Path(envdoctor.__file__).parent
    slow = re.compile(r"^from dataclasses import .*\bdataclass\b", re.MULTILINE)
    texts = {
        path.relative_to(package).as_posix(): path.read_text(encoding="utf-8")
        for path in package.rglob("*.py")
    }
    assert [
        name
        for name, text in texts.items()
        if "\n@dataclass(frozen=True)\n" in text and slow.search(text)
    ] == []


def test_fields_are_those_of_the_standard_library() -> None:
    """Also where a class inherits, or has what is not a field."""

    def described(maker: Callable[..., Any]) -> object:
        @maker(frozen=True)
        class Base:
            KEY: ClassVar[str] = "point"
            x: int
            tags: list[str] = dataclasses.field(default_factory=list, compare=False)

        @maker(frozen=True)
        class Derived(Base):
            y: float = dataclasses.field(default=0.5, init=False)
            z: str = ""

        shown = [
            [getattr(each, slot) for slot in each.__slots__]
            for kind in (Base, Derived)
            for each in dataclasses.fields(kind)
        ]
        return shown, Derived.__match_args__, Derived.KEY, Derived.y, vars(Derived)["z"]

    assert described(MAKERS[1]) == described(MAKERS[0])
