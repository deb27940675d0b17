"""State that two instances of one process share and change: found by name, and tried."""

from __future__ import annotations

import random
import sys
import types
from collections import OrderedDict, defaultdict, deque

import numpy as np
import pytest

from envdoctor.probe.comparison import switching
from envdoctor.probe.comparison.shared_state import NamedState, Sharing
from envdoctor.probe.comparison.switching import Switch

SOURCE = """
import logging
LOG = logging.getLogger("rig")
COUNT = 0
TABLE = [1.0, 2.0]

class Body:
    def __init__(self):
        self.place = 0.0

class World:
    bodies = {}

class Env:
    unwrapped = property(lambda self: self)
    def __init__(self, body=Body(), given=None):
        self.body, self.given, self.own = body, given, [0]
"""


class Host:
    def __init__(self, environment):
        self.environment = environment

    def subject(self):
        return self.environment


@pytest.fixture
def rig(monkeypatch):
    module = types.ModuleType("rig")
    module.__file__ = "/rig.py"
    monkeypatch.setitem(sys.modules, "rig", module)
    exec(SOURCE, vars(module))
    return module


def following(call, *hosts):
    """Return what is told of what changed in a call of the first instance."""
    sharing = Sharing("/rig.py".__eq__)
    sharing.before(list(hosts), 0)
    call()
    sharing.after(list(hosts), 0, False)
    assert not sharing.is_broken
    return sharing


def names(sharing):
    return {named[:3] for named in sharing.named_states.values()}


def test_changed_state_is_named_by_its_place(rig):
    first, second = rig.Env(given=rig.TABLE), rig.Env(given=rig.TABLE)

    def call():
        first.body.place = 1.0
        first.own.append(1)
        rig.World.bodies["arm"] = np.zeros(3)
        rig.COUNT += 1
        rig.TABLE.append(3.0)

    assert names(following(call, Host(first), Host(second))) == {
        ("default", "body of Env.__init__()", "self.body"),
        ("class", "rig.World.bodies", ""),
        ("module", "rig.COUNT", ""),
        ("module", "rig.TABLE", "self.given"),
        ("module", "rig.TABLE", ""),
    }


def test_object_that_both_were_given_is_named_by_the_way_to_it(rig):
    shared = {"robots": [rig.Body()]}
    first, second = rig.Env(given=(shared,)), rig.Env(given=[shared])

    def call():
        shared["robots"][0].place += 1

    way = "self.given[0]"
    assert names(following(call, Host(first), Host(second))) == {("held", way, way)}
    second.given = first.given
    way = "self.given"
    assert names(following(call, Host(first), Host(second))) == {("held", way, way)}


def test_unchanged_state_is_not_named(rig):
    first, second = rig.Env(given=rig.TABLE), rig.Env(given=rig.TABLE)
    assert names(following(lambda: rig.TABLE[0], Host(first), Host(second))) == set()


def tried(sharing, enough):
    """The names of what is proven, where these places are enough; and how many tries it took."""
    for life in range(20):
        sharing.begin(life, lambda each: enough <= {name for _, name in each.keys})
        if sharing.is_idle:
            break
    return {told["name"] for told in sharing.proven()}, len(sharing.tries)


@pytest.mark.parametrize(
    ("enough", "proven"),
    [({"rig.COUNT"}, {"rig.COUNT"}), ({"a", "b"}, {"a", "b"}), ({"elsewhere"}, set())],
)
def test_only_what_is_enough_is_proven(enough, proven):
    sharing = Sharing(bool)
    for name in ("a", "b", "rig.COUNT", "c", "d"):
        sharing.named_states["module", name] = NamedState("module", name)
    found, tries = tried(sharing, enough)
    assert found >= proven
    assert len(found) <= max(1, len(proven)) or proven == set()
    assert tries <= 9
    assert bool(found) == bool(proven)


def test_nothing_is_tried_where_nothing_changed():
    assert tried(Sharing(bool), set()) == (set(), 0)


def test_error_of_ours_is_none_of_the_call():
    sharing = Sharing(bool)
    sharing.before([object(), object()], 0)
    sharing.after([object(), object()], 0, False)
    assert sharing.is_broken


STATES = {
    "list": ([1], lambda obj: obj.append(2)),
    "dict": ({"a": 1}, lambda obj: obj.update(b=2)),
    "ordered": (OrderedDict(a=1, b=2), lambda obj: obj.move_to_end("a")),
    "default": (defaultdict(list), lambda obj: obj["new"]),
    "set": ({1}, lambda obj: obj.add(2)),
    "deque": (deque([1], maxlen=3), lambda obj: obj.append(2)),
    "bytes": (bytearray(b"a"), lambda obj: obj.append(2)),
    "attributes": (types.SimpleNamespace(place=0.0), lambda obj: setattr(obj, "place", 1.0)),
    "array": (np.zeros(3), lambda obj: obj.__iadd__(1)),
    "random": (random.Random(1), lambda obj: obj.random()),
    "generator": (np.random.default_rng(1), lambda obj: obj.random()),
    "legacy": (np.random.RandomState(1), lambda obj: obj.random_sample()),
    "nested": ([{"a": np.zeros(3)}], lambda obj: obj[0]["a"].__iadd__(1)),
}


@pytest.mark.parametrize("name", STATES)
def test_change_is_seen_and_each_instance_finds_its_own(name):
    obj, change = STATES[name]
    before = switching.state(obj)
    assert switching.state(obj) == before
    switch = Switch(switching.below(obj), [])
    switch.enter(0)
    change(obj)
    changed = switching.state(obj)
    assert changed != before
    switch.leave(0)
    switch.enter(1)
    assert switching.state(obj) == before
    switch.leave(1)
    switch.enter(0)
    assert switching.state(obj) == changed


def test_names_of_modules_and_classes_are_switched(rig):
    switch = Switch([], [(rig, "COUNT"), (rig.World, "bodies")])
    mine = {}
    switch.enter(0)
    rig.COUNT, rig.World.bodies = 7, mine
    switch.leave(0)
    switch.enter(1)
    assert (rig.COUNT, rig.World.bodies) == (0, {})
    switch.leave(1)
    switch.enter(0)
    assert rig.COUNT == 7
    assert rig.World.bodies is mine


def test_too_large_object_has_no_state():
    assert switching.state([[index] for index in range(switching.MOST + 1)]) is None
