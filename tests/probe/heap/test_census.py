"""Holders of what grew, where much grows that no module leads to."""

from __future__ import annotations

import gc
import sys
import threading
import types
from typing import Any

from envdoctor.probe.growth import census as census_module
from envdoctor.probe.growth.census import census

CROWD = 300  # containers that grow, as the caches of a compiler do
ROUNDS = 7


def test_one_walk_names_what_grows_beside_a_crowd(monkeypatch):
    sim: Any = types.ModuleType("pkg.sim")
    monkeypatch.setitem(sys.modules, "pkg.sim", sim)
    sim.log = []
    crowd: list[list[int]] = [[] for _ in range(CROWD)]  # only this call holds them
    walks = []

    class Search(census_module.HolderSearch):
        def __init__(self, *given: Any) -> None:
            walks.append(1)
            super().__init__(*given)

    monkeypatch.setattr(census_module, "HolderSearch", Search)

    def run() -> int:
        for number in range(ROUNDS):
            sim.log.append([number])
            for each in crowd:
                each.extend((number, number))
        return ROUNDS

    fact = census(run, 1.0, [], {}, lambda chain: []).fact
    assert [(held["chain"], held["grew"]) for held in fact["holders"] if "grew" in held] == [
        ("pkg.sim.log", ROUNDS)
    ]
    assert fact["unsearched"] == 0
    assert len(walks) == 1


def test_containers_not_searched_in_time_are_counted(monkeypatch):
    sim: Any = types.ModuleType("pkg.sim")
    monkeypatch.setitem(sys.modules, "pkg.sim", sim)
    monkeypatch.setattr(census_module, "MAX_SECONDS", 0.0)
    sim.log = []

    def run() -> int:
        sim.log += [[number] for number in range(ROUNDS)]
        return ROUNDS

    fact = census(run, 1.0, [], {}, lambda chain: []).fact
    assert fact["holders"] == []
    assert fact["unsearched"] > 0


def test_thread_leads_to_what_its_running_function_has() -> None:
    """A queue that reset() replaced is held by the thread that still waits in its get()."""
    ready, end = threading.Event(), threading.Event()
    address: list[int] = []

    def wait() -> None:
        own: list[object] = []
        own.append(own)  # no other reference leads there
        address.append(id(own))
        ready.set()
        end.wait(60.0)

    thread = threading.Thread(target=wait)
    thread.start()
    assert ready.wait(60.0)
    fresh = [obj for obj in gc.get_objects() if id(obj) == address[0]]
    assert census_module._reached(fresh, list(census_module._thread_roots())) == {address[0]}
    end.set()
    thread.join(60.0)
