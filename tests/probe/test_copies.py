"""Deep copies that cannot be made: without an end, against what EzPickle promises, and others."""

from __future__ import annotations

import threading
from types import SimpleNamespace

import pytest
from gymnasium.utils import EzPickle

from envdoctor.probe.comparison.side_by_side import use_a_copy
from envdoctor.probe.ownership import Ownership


class AsksItself:
    def __init__(self):
        self.env = object()

    def __getattr__(self, name):
        return getattr(self.env, name)


class HasLock:
    def __init__(self):
        self.lock = threading.Lock()


class Simulator:
    def __reduce__(self):
        raise TypeError("no default __reduce__")


class KeepsSimulator(EzPickle):
    def __init__(self, path, simulator=None):
        EzPickle.__init__(self, path, simulator=simulator)
        self.simulator = simulator or Simulator()


class TakesSimulator(KeepsSimulator):
    def __init__(self):
        super().__init__("arm.xml", Simulator())


def generator_of(name):
    return Generator()


class Generator:
    def __reduce__(self):
        return generator_of, ("PCG64", {"state": 3})


class Named:
    def __new__(cls, name):
        return super().__new__(cls)


class Holds:
    def __init__(self, held):
        self.held = held


class FailsTheSecondTime(EzPickle):
    made = 0

    def __init__(self):
        EzPickle.__init__(self)
        type(self).made += 1
        if self.made > 1:
            raise OSError("the port is taken")


def used(instance):
    host = SimpleNamespace(subject=lambda: instance, actions=SimpleNamespace(given=None), info={})
    host.actions.user_actions = None
    return use_a_copy(host, 0, Ownership())


def test_endless_recursion_has_its_line():
    result = used(AsksItself())
    error = result["error"]
    assert error["type"].endswith("RecursionError")
    assert error["frames"][error["user"]]["function"].endswith("__getattr__")


def test_other_failures_are_their_reason_alone():
    assert used(HasLock()).keys() == {"failed"}


def test_argument_that_ezpickle_cannot_pickle_has_its_class_and_line():
    result = used(TakesSimulator())
    first = KeepsSimulator.__init__.__code__.co_firstlineno
    assert result["kept"] == "Simulator"
    assert result["place"] == {
        "file": __file__,
        "line": first + 1,
        "function": "KeepsSimulator.__init__",
    }


@pytest.mark.parametrize("make", [lambda: KeepsSimulator("arm.xml"), FailsTheSecondTime])
def test_ezpickle_whose_arguments_can_be_pickled_promises_what_it_keeps(make):
    assert "kept" not in used(make())


def test_object_that_is_made_anew_with_other_arguments_is_named():
    result = used(Holds(Generator()))
    assert (result["unmade"], result["maker"]) == ("Generator", "generator_of")
    assert result["place"]["function"] == "Generator.__reduce__"
    result = used(Holds(Named("arm")))
    assert (result["unmade"], result["maker"], result["place"]) == ("Named", "Named.__new__", None)


def test_object_that_refuses_to_be_copied_is_not_named():
    assert used(Holds(Simulator())).keys() == {"failed"}
