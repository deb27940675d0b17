"""Forked processes that wait for a lock which a thread of their parent held."""

from __future__ import annotations

import multiprocessing
import select
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from envdoctor.model.finding import Location
from envdoctor.model.training_calls import LostThread
from envdoctor.run.supervise.machine import machine
from envdoctor.watch.stuck_forks import StuckForks

pytestmark = [
    pytest.mark.waits,
    pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's"),
]

LOOKS, EVERY = 300, 0.2  # at most, and seconds between them
LOCK = threading.Lock()
READY = "ready"


def wait_for_lock(connection) -> None:
    """The child waits in the only `with` of this file."""
    connection.send(READY)
    with LOCK:
        connection.send("it was free")


def wait_for_orders(connection) -> None:
    connection.send(READY)
    connection.recv()


def is_held() -> None:
    with LOCK:
        pass


WITH = is_held.__code__.co_firstlineno + 2  # a line in a block of the lock


@contextmanager
def forked(target) -> Iterator[int]:
    """The pid of a forked child that has begun; it ends with the block."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    child = context.Process(target=target, args=(theirs,))
    child.start()
    try:
        assert ours.poll(60)
        assert ours.recv() == READY
        yield child.pid
    finally:
        child.kill()
        child.join()


def stacks(pid: int) -> str:
    """The stacks of the child, as faulthandler writes them."""
    line = wait_for_lock.__code__.co_firstlineno + 3
    return (
        f"Process {pid} (python train.py):\nCurrent thread 0x1 (most recent call first):\n"
        f'  File "{__file__}", line {line} in wait_for_lock\n'
    )


def look(pid: int, holder: LostThread, looks: int, read=stacks) -> StuckForks:
    """Look until it is known to be stuck, or so often."""
    forks = StuckForks(read)
    for _ in range(looks):
        forks.look({pid: (holder,)}, {pid}, 1, 3.0)
        if forks.standstill is not None:
            break
        select.select([], [], [], EVERY)
    return forks


def holder(line: int) -> LostThread:
    return LostThread("progress", (Location(__file__, line, "is_held"),))


def test_process_is_stuck_and_is_not_any_more() -> None:
    LOCK.acquire()
    try:
        with forked(wait_for_lock) as pid:
            forks = look(pid, holder(WITH), LOOKS)
            still = forks.standstill
            assert still is not None
            assert still.stuck == (pid,)
            assert [each.lock for each in still.held] == ["LOCK"]
            assert any(each.pid == pid for each in still.waits)
            forks.look({pid: (holder(WITH),)}, set(), 1, 4.0)
            assert forks.standstill is None
    finally:
        LOCK.release()


def test_lock_that_no_thread_held_is_none() -> None:
    LOCK.acquire()
    try:
        with forked(wait_for_lock) as pid:
            assert look(pid, holder(1), 20).standstill is None
    finally:
        LOCK.release()


def test_worker_that_waits_for_orders_is_not_looked_into(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading its stacks would stop each idle worker of a healthy training for a moment, and to see
    who writes to its pipe takes a list of all descriptors of all processes.
    """
    monkeypatch.setattr(machine, "blocked", pytest.fail)
    with forked(wait_for_orders) as pid:
        assert look(pid, holder(WITH), 20, pytest.fail).standstill is None
