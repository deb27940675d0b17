"""State that the first instance left changed: found by name, put back, and named only if that helps."""

from __future__ import annotations

import sys
import types

import pytest

from envdoctor.probe.comparison.initial_state import InitialState, blocking_places

SOURCE = """
import logging
LOG = logging.getLogger("rig")
TASKS = {"walk": {"limits": [0.0, 2.0]}}
count = 0

class Simulator:
    in_use = False
    def __init__(self, ports=[1, 2], *, name="rig"):
        self.ports = ports
"""


@pytest.fixture
def rig(monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    module = types.ModuleType("rig")
    module.__file__ = "/rig.py"
    monkeypatch.setitem(sys.modules, "rig", module)
    exec(SOURCE, vars(module))
    return module


@pytest.fixture
def initial(rig: types.ModuleType) -> InitialState:
    return InitialState("/rig.py".__eq__)


def change_all(rig: types.ModuleType) -> None:
    rig.TASKS["walk"]["limits"].pop()
    rig.count += 1
    rig.Simulator.in_use = True
    rig.Simulator().ports.append(3)
    rig.handle = object()


ALL = {
    ("module", "rig.TASKS"),
    ("module", "rig.count"),
    ("class", "rig.Simulator.in_use"),
    ("default", "ports of Simulator.__init__()"),
    ("module", "rig.handle"),
}


def test_all_changed_places_are_found(rig: types.ModuleType, initial: InitialState) -> None:
    assert initial.changed() == []
    change_all(rig)
    assert set(initial.changed()) == ALL


def test_all_are_put_back(rig: types.ModuleType, initial: InitialState) -> None:
    change_all(rig)
    initial.put_back(initial.changed())
    assert initial.changed() == []
    assert rig.TASKS == {"walk": {"limits": [0.0, 2.0]}}
    assert rig.Simulator().ports == [1, 2]
    assert not hasattr(rig, "handle")


def test_files_that_are_not_followed_are_left(rig: types.ModuleType) -> None:
    initial = InitialState("/other.py".__eq__)
    change_all(rig)
    assert initial.changed() == []


def named(initial: InitialState, fails: object) -> list[tuple[str, str]] | None:
    return blocking_places(initial, fails, lambda: False)  # type: ignore[arg-type]


def test_place_that_decides_is_named(rig: types.ModuleType, initial: InitialState) -> None:
    change_all(rig)
    assert named(initial, lambda: rig.Simulator.in_use) == [("class", "rig.Simulator.in_use")]


def test_two_places_that_decide_together_are_named(
    rig: types.ModuleType, initial: InitialState
) -> None:
    change_all(rig)
    places = named(initial, lambda: rig.Simulator.in_use or rig.count > 0)
    assert {("class", "rig.Simulator.in_use"), ("module", "rig.count")} <= set(places or ())


@pytest.mark.parametrize("fails", [lambda: False, lambda: True])
def test_nothing_is_named_that_makes_no_difference(
    rig: types.ModuleType, initial: InitialState, fails: object
) -> None:
    change_all(rig)
    assert named(initial, fails) is None


def test_value_before_is_shown_where_it_is_plain(
    rig: types.ModuleType, initial: InitialState
) -> None:
    change_all(rig)
    shown = {name: initial.as_json((kind, name)).get("before") for kind, name in initial.changed()}
    assert shown == {
        "rig.TASKS": None,
        "rig.count": "0",
        "rig.Simulator.in_use": "False",
        "ports of Simulator.__init__()": None,
        "rig.handle": None,
    }
