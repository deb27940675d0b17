"""Chains of references to what will not go."""

from __future__ import annotations

import atexit
import ctypes
import functools
import gc
import re
import signal
import sys
import threading
import types
import weakref
from typing import ClassVar

import pytest

from envdoctor.probe.growth import containers, holders, interpreter_roots
from envdoctor.probe.growth.chains import MAX_LENGTH
from envdoctor.probe.growth.holders import NATIVE, holder_chain, holder_chains
from envdoctor.probe.live import looking
from envdoctor.probe.live.counted import Rows

PATIENCE = 60.0  # seconds of CPU: a process that has run many tests has a large heap


class Thing:
    """An object that is held."""

    def method(self):
        return self


class Slotted:
    __slots__ = ("thing",)


@pytest.fixture
def sim(monkeypatch):
    """An empty module."""
    module = types.ModuleType("pkg.sim")
    monkeypatch.setitem(sys.modules, "pkg.sim", module)
    return module


def held(module, place, build):
    """The chain to a thing that only `build` of it, put in a module, holds."""
    thing = Thing()
    reference = weakref.ref(thing)
    setattr(module, place, build(thing))
    del thing
    gc.collect()
    return holder_chain(reference, PATIENCE)


def holder(thing):
    made = types.SimpleNamespace()
    made.callbacks = [thing]
    return made


def slotted(thing):
    made = Slotted()
    made.thing = thing
    return made


def cached(thing):
    @functools.lru_cache(maxsize=None)
    def look_up(what, number):
        return number

    look_up(thing, 1)
    return look_up


def failed(thing):
    def fail(local):
        raise ValueError

    try:
        fail(thing)
    except ValueError as error:
        return error


@pytest.mark.parametrize(
    ("build", "chain"),
    [
        (lambda thing: thing, "pkg.sim.REGISTRY"),
        (lambda thing: {3: holder(thing)}, "pkg.sim.REGISTRY[3].callbacks[0]"),
        (lambda thing: {"key": (1, thing)}, "pkg.sim.REGISTRY['key'][1]"),
        (lambda thing: [thing.method], "pkg.sim.REGISTRY[0].__self__"),
        (slotted, "pkg.sim.REGISTRY.thing"),
        (lambda thing: {thing}, "pkg.sim.REGISTRY.<member>"),
        (lambda thing: {thing: 1}, "pkg.sim.REGISTRY.<key>"),
        (lambda thing: [lambda: thing], "pkg.sim.REGISTRY[0].__closure__[0].cell_contents"),
        (lambda thing: functools.partial(print, thing), "pkg.sim.REGISTRY.args[0]"),
        (cached, "pkg.sim.REGISTRY.<lru_cache>.<key>[0]"),
    ],
)
def test_the_chain_is_what_a_person_would_type(sim, build, chain):
    assert held(sim, "REGISTRY", build) == chain


def test_a_stored_traceback_is_a_holder(sim):
    assert held(sim, "LAST_ERROR", failed).startswith("pkg.sim.LAST_ERROR.__traceback__")


def test_a_class_is_a_root(sim):
    class Pool:
        instances: ClassVar = []

    thing = Thing()
    Pool.instances.append(thing)
    reference = weakref.ref(thing)
    del thing
    assert holder_chain(reference, PATIENCE).endswith("Pool.instances[0]")


def test_a_running_thread_is_a_root(sim):
    stop, thing = threading.Event(), Thing()

    def run(what):
        stop.wait(PATIENCE)

    thread = threading.Thread(target=run, args=(thing,), name="renderer")
    thread.start()
    reference = weakref.ref(thing)
    del thing
    assert holder_chain(reference, PATIENCE) == "<thread 'renderer'>._args[0]"
    stop.set()
    thread.join()


def test_registration_for_the_exit_is_a_holder_and_stays(sim):
    thing, number = Thing(), atexit._ncallbacks()
    atexit.register(thing.method)
    reference = weakref.ref(thing)
    del thing
    chain = holder_chain(reference, PATIENCE)
    assert chain == f"atexit.register({__name__}.Thing.method).__self__"
    assert atexit._ncallbacks() == number + 1
    atexit.unregister(reference().method)
    gc.collect()
    assert reference() is None


def test_callback_whose_comparison_raises_stays_registered():
    class Strange:
        __hash__ = None

        def __call__(self):
            pass

        def __eq__(self, other):
            raise ValueError

    strange = Strange()
    atexit.register(strange)
    assert interpreter_roots.roots()
    Strange.__eq__ = object.__eq__
    assert [each for each in interpreter_roots.at_exit() if each is strange] == [strange]
    atexit.unregister(strange)
    assert not [each for each in interpreter_roots.at_exit() if each is strange]


def test_handler_of_a_signal_is_a_holder(sim):
    thing = Thing()
    earlier = signal.signal(signal.SIGUSR2, thing.method)
    reference = weakref.ref(thing)
    del thing
    assert holder_chain(reference, PATIENCE) == "signal.getsignal(SIGUSR2).__self__"
    signal.signal(signal.SIGUSR2, earlier)
    assert reference() is None


def test_module_is_named_before_what_the_interpreter_keeps(sim):
    thing = sim.REGISTRY = Thing()
    atexit.register(thing.method)
    reference = weakref.ref(thing)
    assert holder_chain(reference, PATIENCE) == "pkg.sim.REGISTRY"
    atexit.unregister(thing.method)


def test_dead_object_has_no_chain(sim):
    reference = weakref.ref(Thing())
    assert holder_chain(reference, PATIENCE) is None


def test_object_without_referrers_is_held_from_native_code(sim):
    thing = Thing()
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))
    reference = weakref.ref(thing)
    del thing
    assert holder_chain(reference, PATIENCE) == NATIVE
    ctypes.pythonapi.Py_DecRef(ctypes.py_object(reference()))
    assert reference() is None


def test_envdoctor_itself_is_never_blamed(sim):
    import envdoctor.probe as ours

    ours.kept = Thing()
    reference = weakref.ref(ours.kept)
    assert holder_chain(reference, PATIENCE) == NATIVE
    del ours.kept


def test_no_code_of_the_subject_runs(sim):
    class Hostile:
        def __repr__(self):
            raise AssertionError

        __eq__ = __hash__ = __getattr__ = __getattribute__ = lambda self, *name: pytest.fail(
            f"ran {name}"
        )

    class Key(Hostile):
        __hash__ = object.__hash__

    assert held(sim, "REGISTRY", lambda thing: {Key(): [thing]}) == "pkg.sim.REGISTRY[<Key>][0]"


def test_holder_is_not_named_without_time(sim):
    sim.kept = Thing()
    assert holder_chain(weakref.ref(sim.kept), seconds=0.0) is None


def test_wide_way_is_found(sim):
    thing = Thing()
    sim.kept = [[[thing] for _ in range(100)]]
    reference = weakref.ref(thing)
    del thing
    chain = holder_chain(reference, PATIENCE)
    assert chain is not None
    assert re.fullmatch(r"pkg\.sim\.kept\[0\]\[\d+\]\[0\]", chain)


def test_ways_to_many_objects_are_found_by_one_walk(sim, monkeypatch):
    """A thousand containers that grow alike cost as many looks at the heap as one of them."""
    chunks = []
    monkeypatch.setattr(holders, "beat", lambda: chunks.append(1))
    sim.slots = [Thing() for _ in range(1000)]
    references = [weakref.ref(thing) for thing in sim.slots]
    holder_chains(references[:1], PATIENCE)
    alone = len(chunks)
    found = holder_chains(references, PATIENCE)
    assert found == [f"pkg.sim.slots[{at}]" for at in range(1000)]
    assert len(chunks) - alone <= alone + 1


def test_attributes_on_the_way_are_named_for_each_object(sim):
    """The first chain that is written down makes the dict of the holder's attributes."""

    class Pair:
        def __init__(self):
            self.left, self.right = Thing(), Thing()

    sim.pair = Pair()
    references = [weakref.ref(sim.pair.left), weakref.ref(sim.pair.right)]
    assert holder_chains(references, PATIENCE) == ["pkg.sim.pair.left", "pkg.sim.pair.right"]


def test_length_is_bounded(sim):
    chain = held(
        sim,
        "REGISTRY",
        lambda thing: functools.reduce(
            lambda inner, _: {"a key of some length": inner}, range(50), thing
        ),
    )
    assert len(chain) == MAX_LENGTH
    assert chain.endswith("...")


def test_the_search_holds_nothing(sim):
    sim.kept = Thing()
    reference = weakref.ref(sim.kept)
    holder_chain(reference, PATIENCE)
    del sim.kept
    assert reference() is None


@pytest.mark.parametrize("look", [holders.running_frames, looking._variables])
def test_a_look_at_the_frames_keeps_none_of_them(look):
    """With the collector off, a cycle would keep the calls on the stack for ever."""

    def call():
        thing = Thing()
        look()
        return weakref.ref(thing)

    gc.collect()
    gc.disable()
    try:
        assert call()() is None
    finally:
        gc.enable()


def test_objects_frozen_by_the_user_stay_frozen():
    gc.collect()
    gc.freeze()
    try:
        frozen = gc.get_freeze_count()
        looking._Ways({}, {}).clear()
        assert gc.get_freeze_count() == frozen > 0
    finally:
        gc.unfreeze()


def test_containers_of_envdoctor_are_not_followed():
    class Theirs(dict):
        pass

    own, theirs = Rows(), Theirs()
    for each in (own, theirs):
        each.update((number, [number]) for number in range(40))
    found = dict(containers.lengths())
    assert found[id(theirs)] == 40
    assert id(own) not in found
