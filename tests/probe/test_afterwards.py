"""A stop in the background by close(): how long it is waited for, and what is journalled."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from envdoctor.probe import readings
from envdoctor.probe.readings import Readings

SIMULATOR = {"7": "simulator"}
STOPPING = {**SIMULATOR, "8": "docker stop sim-1"}


class Clock:
    """Seconds that pass only where something waits."""

    now = 0.0


class Deadline:
    def __init__(self, seconds: float, guard: int = 0) -> None:
        self.end = Clock.now + seconds

    def ends_within(self, pause: float) -> bool:
        return Clock.now + pause > self.end


class Stopwatch:
    def __init__(self, guard: int = 0) -> None:
        self.began = Clock.now

    def seconds(self) -> float:
        return Clock.now - self.began


def life(
    monkeypatch: pytest.MonkeyPatch,
    after_close: dict[str, str],
    ends: float,
    midway: dict[str, str] | None = None,
) -> tuple[list[Any], Readings, float]:
    """A life whose close() leaves processes that end so many seconds later, with those that run
    `midway` before that: the facts that are journalled, the readings, and how many seconds were
    waited.
    """
    facts: list[Any] = []
    closed: list[float] = []

    def read(_names: Any) -> dict[str, Any]:
        if not closed:
            return {"processes": SIMULATOR if Clock.now else {}, "threads": {}}
        waited = Clock.now - closed[0]
        begun = {**after_close, **(midway or {})} if waited > ends / 2 else after_close
        return {"processes": begun if waited < ends else {}, "threads": {}}

    def write(event: str, **more: Any) -> None:
        if event == "fact" and more["key"] == "afterwards":
            facts.append(more["value"])

    def sleep(seconds: float) -> None:
        Clock.now += seconds

    Clock.now = 0.0
    monkeypatch.setattr(readings, "Deadline", Deadline)
    monkeypatch.setattr(readings, "Stopwatch", Stopwatch)
    monkeypatch.setattr(readings, "settle", lambda: None)
    monkeypatch.setattr(readings.time, "sleep", sleep)
    sensors: Any = SimpleNamespace(context=SimpleNamespace(guard=0), read_all=read)
    journal: Any = SimpleNamespace(write=write)
    made = Readings(journal, sensors, 0)
    made.begin()
    Clock.now = 1.0
    made.take("stepped")
    closed.append(Clock.now)
    made.held()
    made.collected()
    return facts, made, Clock.now - closed[0]


def test_processes_stopped_by_close_are_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    (fact,), made, waited = life(monkeypatch, STOPPING, 10.0)
    assert fact["ended"]["processes"] == STOPPING
    assert 10.0 <= fact["seconds"] <= 11.0
    assert waited <= 11.0
    assert made.dirty() == []


def test_process_started_while_waiting_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    later = {"9": "docker rm sim-1"}
    (fact,), _, _ = life(monkeypatch, STOPPING, 10.0, later)
    assert fact["ended"]["processes"] == {**STOPPING, **later}


def test_process_not_stopped_in_time_is_a_leftover(monkeypatch: pytest.MonkeyPatch) -> None:
    (fact,), made, waited = life(monkeypatch, STOPPING, 60.0)
    assert fact["ended"]["processes"] == {}
    assert waited <= readings.AFTERWARDS + 4.0
    assert made.dirty() == ["processes"]


def test_process_ignored_by_close_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    facts, made, waited = life(monkeypatch, SIMULATOR, 10.0)
    assert facts == []
    assert waited <= readings.HELD_GRACE + readings.COLLECTED_GRACE + 0.1
    assert made.dirty() == ["processes"]
