"""Compilations in a cycle, and their lines."""

from __future__ import annotations

import sys
import types

import pytest

from envdoctor.probe.growth.compilations import EVENT, compilations

OWN = __file__.__eq__


@pytest.fixture
def listeners(monkeypatch):
    found = []
    public, inside = types.ModuleType("jax.monitoring"), types.ModuleType("jax._src.monitoring")
    public.register_event_duration_secs_listener = found.append
    inside._unregister_event_duration_listener_by_callback = found.remove
    monkeypatch.setitem(sys.modules, "jax.monitoring", public)
    monkeypatch.setitem(sys.modules, "jax._src.monitoring", inside)
    return found


def test_each_line_is_counted_and_the_listener_removed(listeners):
    def step():
        for _ in range(3):
            listeners[0](EVENT, 0.1, fun_name="step")
        listeners[0]("/jax/other", 0.1)
        listeners[0](EVENT, 0.1)

    lines = compilations(step, OWN)
    assert [line["count"] for line in lines] == [3, 1]
    first = step.__code__.co_firstlineno
    assert [line["line"] - first for line in lines] == [2, 4]
    assert listeners == []


def test_compilation_of_a_library_is_left_out(listeners):
    assert compilations(lambda: listeners[0](EVENT, 0.1), lambda _file: False) == []


def test_listener_is_removed_where_the_cycle_raises(listeners):
    with pytest.raises(ZeroDivisionError):
        compilations(lambda: 1 // 0, OWN)
    assert listeners == []


def test_nothing_is_known_without_the_library(monkeypatch):
    monkeypatch.delitem(sys.modules, "jax.monitoring", raising=False)
    assert compilations(lambda: 1 // 0, OWN) == []
