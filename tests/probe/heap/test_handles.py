"""Attributes followed across resets: what was rebuilt, what was released, and whom nobody may
accuse.
"""

from __future__ import annotations

import functools
import gc
import os
import socket
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from envdoctor.probe.tracing.handles import HandleTracker

#: Things are lost here on purpose.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")

SLEEPER = [sys.executable, "-I", "-S", "-c", "import time; time.sleep(60)"]


class Env:
    """An environment with one attribute, built by a function at every reset."""

    thing: Any = None

    def __init__(self, build: Callable[[Any], Any]) -> None:
        self.build = build

    def reset(self) -> None:
        self.thing = self.build(self.thing)


class Client:
    """Holds whatever it is given."""

    def __init__(self, held: Any = None) -> None:
        self.held = held

    def close(self) -> None:
        if self.held is not None:
            self.held.close()


def follow(env: Env, resets: int = 3) -> dict[str, dict[str, Any]]:
    handles = HandleTracker(env)
    for _ in range(resets):
        env.reset()
        handles.look(env)
    return {told["name"]: told for told in handles.facts()}


@pytest.fixture(autouse=True)
def nothing_for_the_next_test() -> Iterator[None]:
    yield
    gc.collect()


@pytest.fixture
def lost() -> Iterator[list[Any]]:
    """Place where a test loses objects. They are closed afterwards."""
    things: list[Any] = []
    yield things
    for thing in things:
        thing.close()


def verdict(told: dict[str, Any]) -> tuple[int, int, int]:
    return told["rebuilt"], told["replaced"], told["unreleased"]


def test_one_that_is_kept_is_the_same_object() -> None:
    with socket.socket() as wire:
        told = follow(Env(lambda old: old or Client(wire)))
    assert verdict(told["thing"]) == (0, 0, 0)
    assert told["thing"]["releases"] == ["close"]
    assert told["thing"]["resets"] == 3


def test_sockets_that_somebody_else_keeps_are_not_released(lost: list[Any]) -> None:
    def build(_: Any) -> Client:
        lost.append(socket.socket())
        return Client(lost[-1])

    told = follow(Env(build))
    assert verdict(told["thing"]) == (2, 2, 2)
    assert told["thing"]["left"] == ["socket", "socket"]
    assert not told["thing"]["collectable"]


def test_handle_dropped_with_its_last_reference_is_released() -> None:
    told = follow(Env(lambda _: open(os.devnull)))  # noqa: SIM115
    assert verdict(told["thing"]) == (2, 2, 0)


def test_handle_closed_before_rebuilding_is_released() -> None:
    def build(old: Any) -> Any:
        if old is not None:
            old.close()
        return Client(socket.socket())

    assert verdict(follow(Env(build))["thing"]) == (2, 2, 0)


def test_a_cycle_waits_for_the_collector() -> None:
    def build(_: Any) -> Client:
        client = Client(socket.socket())
        client.me = client  # type: ignore[attr-defined]
        return client

    gc.disable()
    try:
        told = follow(Env(build))["thing"]
    finally:
        gc.enable()
    assert verdict(told) == (2, 2, 2)
    assert told["collectable"]


def test_levels_in_a_cache_are_kept_on_purpose() -> None:
    numbers = iter(range(9))
    load = functools.lru_cache(maxsize=None)(lambda _: Client(socket.socket()))
    bounded = functools.lru_cache(maxsize=8)(lambda _: Client(socket.socket()))
    scenes: dict[int, Client] = {}
    assert verdict(follow(Env(lambda _: load(next(numbers))))["thing"]) == (2, 2, 0)
    assert verdict(follow(Env(lambda _: bounded(next(numbers))))["thing"]) == (2, 2, 0)
    assert verdict(
        follow(Env(lambda _: scenes.setdefault(next(numbers), Client(socket.socket()))))["thing"]
    ) == (2, 2, 0)


def test_taking_turns_is_no_rebuilding() -> None:
    pool = [Client(socket.socket()) for _ in range(2)]
    env = Env(lambda old: pool[1] if old is pool[0] else pool[0])
    env.pool = pool  # type: ignore[attr-defined]
    told = follow(env)
    assert verdict(told["thing"]) == (0, 0, 0)
    for client in pool:
        client.close()


def test_a_new_face_on_the_same_thread_is_released() -> None:
    stop = threading.Event()
    thread = threading.Thread(target=stop.wait, args=(60.0,), daemon=True)
    thread.start()
    try:
        assert verdict(follow(Env(lambda _: Client(thread)))["thing"]) == (2, 2, 0)
    finally:
        stop.set()


def test_processes_are_known_by_number_and_start() -> None:
    started: list[int] = []

    def build(_: Any) -> Any:
        process = subprocess.Popen(SLEEPER)
        started.append(process.pid)
        return process

    try:
        told = follow(Env(build))["thing"]
        assert verdict(told) == (2, 2, 2)
        assert "time.sleep(60)" in told["left"][0]
        assert "terminate" in told["releases"]
    finally:
        for pid in started:
            os.kill(pid, 9)
            os.waitpid(pid, 0)


def test_kept_object_without_resources_is_not_accused(lost: list[Any]) -> None:
    def build(_: Any) -> Client:
        lost.append(Client())
        return lost[-1]  # type: ignore[no-any-return]

    told = follow(Env(build))["thing"]
    assert verdict(told) == (2, 2, 0)
    assert told["kept"] == 2


def test_plain_data_is_not_followed() -> None:
    env = Env(lambda _: [1, {"a": 2}, (number for number in range(3)), print, sys])
    assert follow(env) == {}


def test_nothing_is_kept_alive() -> None:
    env = Env(lambda _: Client(open(os.devnull)))  # noqa: SIM115
    handles = HandleTracker(env)
    env.reset()
    handles.look(env)
    reference = weakref.ref(env.thing.held)
    env.thing = None
    assert reference() is None


class Hostile:
    """Says that it is everything, and raises when it is looked at."""

    __class__ = socket.socket  # type: ignore[assignment]

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(name)


def test_hostile_objects_are_only_looked_at_by_class() -> None:
    assert follow(Env(lambda _: Hostile())) == {}
