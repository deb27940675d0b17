"""Serials: one object, one number, and no hold on it."""

from __future__ import annotations

import copy
import gc
import weakref

from envdoctor.probe.tracing.identity import Serials


class Plain:
    def __eq__(self, other):
        raise AssertionError

    __hash__ = None


class Stamped:
    __slots__ = ("__dict__",)


class Closed:
    __slots__ = ()


def test_an_address_used_again_gets_a_new_number():
    serials = Serials()
    assert [serials.serial(Plain()) for _ in range(5)] == [1, 2, 3, 4, 5]
    assert len(serials) == 0


def test_the_number_stays():
    serials, thing, other = Serials(), Plain(), Plain()
    assert [serials.serial(thing), serials.serial(other), serials.serial(thing)] == [1, 2, 1]
    del thing
    assert len(serials) == 1


def test_object_without_weak_references_is_stamped():
    serials, thing = Serials(), Stamped()
    assert [serials.serial(thing), serials.serial(thing)] == [1, 1]
    assert serials.serial(copy.copy(thing)) == 2
    assert len(serials) == 0


def test_object_that_cannot_be_stamped_has_no_serial():
    assert Serials().serial(Closed()) is None


def test_the_registry_is_no_cycle():
    gc.disable()
    try:
        serials, thing = Serials(), Plain()
        serials.serial(thing)
        gone = weakref.ref(serials)
        del serials
        assert gone() is None
        del thing
    finally:
        gc.enable()
