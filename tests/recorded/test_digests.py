"""Recordings that a change of the sources touches: by values, for each kind of touch."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from envdoctor.plan import scenarios as planning
from tests.recorded import digests, keeping
from tests.recorded.asking import asked_otherwise
from tests.recorded.catalogue import cases
from tests.recorded.digests import ADAPTERS, SENSORS, VERBS, changed, name_of, reasons, units_in
from tests.recorded.keeping import Entry, Index
from tests.recorded.traits import Traits

NOTHING: dict[str, Any] = dict.fromkeys(Traits.__annotations__, ())
ALONE = Traits(
    **NOTHING
    | {"verbs": ("close", "copy", "make"), "sensors": ("descriptors", "threads"), "apis": ("gym",)}
)
UNDER_DING = Traits(**NOTHING | {"verbs": ("make",), "managers": ("ding-base",)})
STORED = Traits(**NOTHING | {"verbs": ("fill",), "storages": ("torchrl-list",)})

TOUCHES = (
    (f"{VERBS}lifecycle.py:copy", ["the verb copy changed"], [], []),
    ("envdoctor/probe/adapters/ding/watch_hooks.py", [], [], []),
    (f"{VERBS}replay.py:fill", [], [], ["the verb fill changed"]),
    (f"{SENSORS}threads.py", ["the sensor threads changed"], [], []),
    (f"{SENSORS}zombies.py", [], [], []),
    (f"{ADAPTERS}ding/base.py", [], ["the adapter of ding-base changed"], []),
    (f"{ADAPTERS}ding/subproc.py", [], [], []),
    (f"{ADAPTERS}ding/driving.py", [], ["the adapter of ding-base changed"], []),
    (f"{ADAPTERS}gym/traced.py", ["the adapter of gym changed"], [], []),
    (f"{ADAPTERS}gym/watch_hooks.py", [], [], []),
    (f"{ADAPTERS}torchrl/storage_list.py", [], [], ["the adapter of torchrl-list changed"]),
    (f"{ADAPTERS}torchrl/parallel.py", [], [], []),
    ("envdoctor/probe/player.py", [], [], []),
    ("envdoctor/plan/scenarios.py", [], [], []),
)

MODULE = '''
"""What it does."""

TIMES = 2


def make(state):
    """Build one."""
    return build(state) * TIMES  # twice


def build(state):
    return state


def drop(state):
    return None


VERBS = {verb.__name__: verb for verb in (make, drop)}
'''


@pytest.mark.parametrize(("unit", "alone", "under_ding", "stored"), TOUCHES)
def test_touch_chooses_what_played_it(
    unit: str, alone: list[str], under_ding: list[str], stored: list[str]
) -> None:
    assert [reasons(traits, [unit]) for traits in (ALONE, UNDER_DING, STORED)] == [
        alone,
        under_ding,
        stored,
    ]


def test_units_of_touches_are_there() -> None:
    assert {unit for unit, *_ in TOUCHES} <= digests.sources()["units"].keys()


def test_comments_and_docstrings_do_not_count() -> None:
    name = f"{VERBS}lifecycle.py"
    without = MODULE.replace('    """Build one."""\n', "").replace("  # twice", "")
    assert units_in(name, without) == units_in(name, MODULE)
    assert units_in("envdoctor/probe/x.py", without) == units_in("envdoctor/probe/x.py", MODULE)


TYPED = """
from typing import TYPE_CHECKING, Any, Callable, ClassVar, Dict
from os import path
if TYPE_CHECKING:
    from threading import Thread

Log = Callable[[Any], None]


class Reading:
    value: int = 0
    limit: ClassVar[int] = 3


def read(thread: Any, *more: int) -> Any:
    values: Dict[str, Any] = {}
    last: int
    return values
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("thread: Any, *more: int", "thread: Thread, *more: object"),
        ("-> Any", "-> object"),
        ("values: Dict[str, Any] =", "values ="),
        ("last: int", "last: float"),
        ("value: int", "value: float"),
        ("Any, Callable,", "Callable, List,"),
        ("[[Any], None]", "[[object], None]"),
        ("import Thread", "import Barrier"),
        ("from typing import TYPE_CHECKING,", "TYPE_CHECKING = False\nfrom typing import"),
    ],
)
def test_annotations_do_not_count(old: str, new: str) -> None:
    name = "envdoctor/probe/x.py"
    assert old in TYPED
    assert units_in(name, TYPED.replace(old, new)) == units_in(name, TYPED)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("probe/x.py", "value: int = 0", "value = 0"),  # a field of a dataclass no more
        ("probe/x.py", "limit: ClassVar[int]", "limit: int"),
        ("probe/x.py", "    last: int\n", ""),  # a variable of the function no more
        ("probe/x.py", "import path", "import fspath"),
        ("probe/x.py", "more: int", "more: int, key: int"),
        ("probe/x.py", "Log = Callable[[Any], None]", "Log = print[[Any], None]"),
        ("model/x.py", "value: int", "value: float"),  # decoded by it
    ],
)
def test_executed_code_beside_annotations_counts(name: str, old: str, new: str) -> None:
    name = f"envdoctor/{name}"
    assert old in TYPED
    assert units_in(name, TYPED.replace(old, new)) != units_in(name, TYPED)


def test_verb_does_not_use_what_only_its_annotations_name() -> None:
    name = f"{VERBS}lifecycle.py"
    typed = MODULE.replace("make(state)", "make(state: State)") + "class State: ...\n"
    assert units_in(name, typed) == units_in(name, MODULE)


@pytest.mark.parametrize(
    ("old", "new", "verbs"),
    [
        ("return state\n", "return [state]\n", {"make"}),  # of what make() calls
        ("TIMES = 2", "TIMES = 3", {"make"}),
        ("return None", "return 0", {"drop"}),
        ("build(state) *", "build(state) +", {"make"}),
    ],
)
def test_verb_is_a_unit_with_what_it_calls(old: str, new: str, verbs: set[str]) -> None:
    name = f"{VERBS}lifecycle.py"
    before, after = units_in(name, MODULE), units_in(name, MODULE.replace(old, new))
    assert {unit.partition(":")[2] for unit in before if before[unit] != after[unit]} == verbs


def test_change_of_shared_code_makes_recordings_older_and_touches_none(tmp_path: Path) -> None:
    state = checkout(tmp_path, "LIMIT = 1")
    index = Index({"zoo/a": Entry(name_of(state), 1.0, ALONE)}, {name_of(state): state})
    (tmp_path / "envdoctor/probe/player.py").write_text("LIMIT = 1  # seconds")
    with mock.patch.object(digests, "ROOT", tmp_path):
        assert fresh(index.older) == {}
        (tmp_path / "envdoctor/probe/player.py").write_text("LIMIT = 2")
        older = fresh(index.older)
    assert older == {"zoo/a": frozenset({"envdoctor/probe/player.py"})}
    assert reasons(ALONE, older["zoo/a"]) == []


def test_new_and_removed_files_are_changes(tmp_path: Path) -> None:
    state = checkout(tmp_path, "LIMIT = 1")
    (tmp_path / "envdoctor/probe/player.py").rename(tmp_path / "envdoctor/probe/playing.py")
    with mock.patch.object(digests, "ROOT", tmp_path):
        names = fresh(lambda: changed(state))
    assert names == {"envdoctor/probe/player.py", "envdoctor/probe/playing.py"}


def checkout(root: Path, text: str) -> dict[str, Any]:
    """A small checkout below a folder, and the state of its sources."""
    for name in digests.SOURCES:
        place = root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("") if place.suffix else place.mkdir()
    (root / "envdoctor/probe/player.py").write_text(text)
    with mock.patch.object(digests, "ROOT", root):
        return fresh(digests.sources)


def fresh(ask: Any) -> Any:
    """The answer to a question without what was read before; nothing of it is kept."""
    for cached in (digests.contents, digests.units_of):
        cached.cache_clear()
    try:
        return ask()
    finally:
        for cached in (digests.contents, digests.units_of):
            cached.cache_clear()


PLANNED = "zoo/cls001_close_raises-sick"


def test_plan_asks_for_what_was_played() -> None:
    assert asked_otherwise(cases()[PLANNED], keeping.load(PLANNED).evidence) == []


@pytest.mark.parametrize(
    ("name", "script", "difference"),
    [
        ("EXIT", "make reset leave", "the plan asks for exit [direct]: make reset leave"),
        ("PLAIN", "make drop", "the plan asks for life [direct]: make drop"),
    ],
)
def test_plan_that_asks_otherwise_is_noticed(name: str, script: str, difference: str) -> None:
    scenario = getattr(planning, name)
    other = type(scenario)(scenario.name, script)
    with mock.patch.object(planning, name, other):
        assert asked_otherwise(cases()[PLANNED], keeping.load(PLANNED).evidence) == [difference]


def test_scenario_that_is_not_asked_for_any_more_is_noticed() -> None:
    with mock.patch.object(planning, "optional", lambda *_: ((), ())):
        (difference,) = asked_otherwise(cases()[PLANNED], keeping.load(PLANNED).evidence)
    assert difference.startswith("the plan does not ask for copied [direct]")
