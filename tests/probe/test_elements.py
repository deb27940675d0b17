"""Number of elements in the containers of an environment."""

from __future__ import annotations

import sys
import types
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from envdoctor.probe.growth import elements

SOURCE = """
SEEN = {1, 2, 3}
TABLE = {"walls": [1, 2], "doors": []}

class Sim:
    episodes = [1]

    def __init__(self):
        self.log = []
        self.last = __import__("collections").deque([1] * 9, maxlen=9)

    @property
    def __class__(self):
        raise RuntimeError("code of the subject")

SHARED = Sim()
"""


@pytest.fixture
def module() -> Iterator[Any]:
    made = types.ModuleType("crane.envs")
    exec(SOURCE, made.__dict__)
    sys.modules[made.__name__] = made
    yield made
    del sys.modules[made.__name__]


def test_elements_of_modules_and_classes_are_counted(module: Any) -> None:
    """SEEN has 3, TABLE 2 and 2 in its list, Sim.episodes 1; the names of a module are none."""
    assert elements.count(None, "crane.envs") == 8
    module.SHARED.log.append(0)
    module.TABLE["doors"].append(0)
    assert elements.count(None, "crane.envs") == 10
    module.SHARED.speed = 2.0
    assert elements.count(None, "crane.envs") == 10, "an attribute is no element"


def test_elements_of_an_instance_are_counted_once(module: Any) -> None:
    instance = module.Sim()
    assert elements.count(instance, "crane.envs") == 8
    instance.parts = (types.SimpleNamespace(places={1: None}), {2, 3})
    assert elements.count(instance, "crane.envs") == 11
    instance.queue = deque([1, 2])
    assert elements.count(instance, "crane.envs") == 13
    instance.owner = instance
    assert elements.count(instance, "crane.envs") == 13, "each is counted once"


def test_too_many_objects_are_not_counted(module: Any) -> None:
    instance = module.Sim()
    instance.parts = [[{} for _ in range(60)] for _ in range(60)]
    wide = elements.count(instance, "crane.envs")
    assert wide == 8 + 60 + 60 * 60
    instance.more = [[{} for _ in range(60)] for _ in range(60)]
    assert elements.count(instance, "crane.envs") == -1


def test_nothing_of_ours_is_counted() -> None:
    assert elements.count(None, "envdoctor.probe.null") == 0


def test_module_in_the_place_of_another_one_is_looked_at(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def placed(name: str, folder: Path, **names: object) -> types.ModuleType:
        made = types.ModuleType(name)
        vars(made).update(names, __file__=str(folder / f"{name}.py"))
        monkeypatch.setitem(sys.modules, name, made)
        return made

    kept = [placed("yard", tmp_path, LOADS=[1]), placed("ropes", tmp_path.parent, USED=[1, 2])]
    for _ in range(2):
        assert elements.count(None, "yard") == 1
    kept.append(placed("ropes", tmp_path, USED=[1, 2]))
    assert elements.count(None, "yard") == 3
    kept[0].LOADS.append(0)
    assert elements.count(None, "yard") == 4
