"""Collections that somebody asks for: counted, placed, refused; and what garbage is made of."""

from __future__ import annotations

import gc
import sys
import threading
import types
from pathlib import Path

from envdoctor.probe.growth import allocations, forced, garbage
from envdoctor.probe.ownership import Ownership

OWN = Ownership()


def collect_twice():
    gc.collect()
    gc.collect(0)


def test_each_collection_is_counted_where_it_was_asked_for():
    with forced.listening(OWN) as heard:
        for _ in range(3):
            collect_twice()
    counts = {(place["function"], place["line"]): place["count"] for place in heard.described()}
    first = collect_twice.__code__.co_firstlineno
    assert counts == {("collect_twice", first + 1): 3, ("collect_twice", first + 2): 3}
    assert {Path(place["file"]).name for place in heard.described()} == {"test_forced.py"}
    assert all(place["seconds"] > 0 for place in heard.described())


def test_a_crowd_of_objects_is_no_collection():
    """Slow environments make many: the automatic collections wait."""
    assert gc.isenabled()
    with forced.listening(OWN) as heard:
        _ = [[] for _ in range(20 * gc.get_threshold()[0])]
    assert heard.described() == []
    assert gc.isenabled()
    assert heard not in gc.callbacks


def test_automatic_collections_that_the_environment_switched_on_are_not_counted():
    with forced.listening(OWN) as heard:
        gc.enable()
        _ = [[] for _ in range(20 * gc.get_threshold()[0])]
    assert heard.described() == []


def test_collections_of_other_threads_are_not_counted():
    with forced.listening(OWN) as heard:
        thread = threading.Thread(target=gc.collect)
        thread.start()
        thread.join()
    assert heard.described() == []


def test_a_refused_collection_does_nothing_whatever_it_is_called(monkeypatch):
    module = types.ModuleType("imported_it")
    module.tidy_up = gc.collect
    monkeypatch.setitem(sys.modules, "imported_it", module)
    real = gc.collect
    permit = forced.refuse()
    try:
        cycle = []
        cycle.append(cycle)
        del cycle
        assert gc.collect() == module.tidy_up() == gc.collect(generation=2) == 0
    finally:
        permit()
    assert gc.collect is module.tidy_up is real
    assert gc.collect() > 0


THIS_FILE = __file__.__eq__


class Frame:
    def __init__(self, before):
        self.before, self.after = before, None


def test_garbage_is_reported_by_type_and_by_the_way_back():
    def run():
        for _ in range(3):
            first = Frame(None)
            first.after = Frame(first)
        return 3

    found = garbage.garbage(run)
    assert found["cycles"] == 3
    assert found["types"][0] == {"type": f"{__name__}.Frame", "count": 6}
    assert found["chain"] == f"{__name__}.Frame.after.before"
    assert gc.garbage == []
    assert not gc.get_debug()


def test_an_object_that_refers_to_itself_is_a_cycle():
    def run():
        frame = Frame(None)
        frame.before = frame
        return 1

    assert garbage.garbage(run)["chain"] == f"{__name__}.Frame.before"


def test_no_garbage():
    fact = garbage.garbage(lambda: 7)
    assert (fact["cycles"], fact["types"], fact["chain"]) == (7, [], "")


def test_line_that_made_most_of_the_garbage_comes_first(tmp_path):
    def run():
        large = {"pixels": bytearray(100_000)}
        large["self"] = large
        small = [None] * 9
        small[0] = small

    code = run.__code__.co_firstlineno
    lines = allocations.lines_of_garbage(run, THIS_FILE, str(tmp_path))
    assert [line["line"] - code for line in lines] == [1, 3]
    assert lines[0]["bytes"] > 100_000


def test_referenced_objects_are_not_garbage(tmp_path):
    kept = []

    def run():
        kept.append(bytearray(100_000))
        small = [None] * 9
        small[0] = small

    first, *others = allocations.lines_of_garbage(run, THIS_FILE, str(tmp_path))
    assert first["line"] - run.__code__.co_firstlineno == 2
    assert all(line["bytes"] < 1000 for line in (first, *others))


def test_lines_of_garbage_need_memray(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "memray", None)
    assert allocations.lines_of_garbage(lambda: None, THIS_FILE, str(tmp_path)) == []


def test_collector_that_is_off_and_its_threshold_are_noted():
    assert garbage.garbage(lambda: 1)["enabled"]
    gc.disable()
    try:
        fact = garbage.garbage(lambda: 1)
    finally:
        gc.enable()
    assert (fact["enabled"], fact["threshold"]) == (False, gc.get_threshold()[0])


def test_collections_that_the_environment_switches_off_stay_off():
    assert gc.isenabled()
    try:
        with forced.listening(OWN):
            assert gc.isenabled()
            gc.disable()
            assert not gc.isenabled()
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_collections_that_are_held_off_for_a_moment_are_on_afterwards():
    with forced.listening(OWN):
        was_on = gc.isenabled()
        gc.disable()
        if was_on:
            gc.enable()
    assert gc.isenabled()
