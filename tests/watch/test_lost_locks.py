"""Locks that a thread takes for a task which is cancelled, as a watched process sees them."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest

from envdoctor.model.finding import Location
from envdoctor.model.training import Training
from envdoctor.model.training_events import announced
from envdoctor.probe.live.lost_locks import follow
from envdoctor.rules.wording.standing_still import lost_lock, lost_lock_remedy
from envdoctor.run.supervise.journal_reader import decode
from envdoctor.watch.pages import PageReport

PATIENCE = 9.0


class Hook:
    """Keeps what is journaled."""

    def __init__(self) -> None:
        self.report = PageReport()

    def write(self, line: bytes) -> None:
        self.report.take([announced(decode(line.strip()) or {})])

    def complain(self, why: str) -> None:
        raise AssertionError(why)


@pytest.fixture
def hook(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hook]:
    """The hook of this process, which follows its loops."""
    kind: Any = asyncio.base_events.BaseEventLoop  # type: ignore[attr-defined]
    monkeypatch.setattr(kind, "run_in_executor", kind.run_in_executor)
    hook = Hook()
    follow(hook, kind)  # type: ignore[arg-type]
    yield hook


async def wait_for(lock: threading.Lock) -> bool:
    return await asyncio.to_thread(lock.acquire, True, PATIENCE)


LINE = wait_for.__code__.co_firstlineno + 1


async def cancelled_while_it_waits(lock: threading.Lock) -> None:
    """A task is cancelled, and its thread gets the lock then."""
    lock.acquire()
    task = asyncio.ensure_future(wait_for(lock))
    await asyncio.sleep(0.05)
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
    lock.release()
    await asyncio.to_thread(held, lock)


def held(lock: threading.Lock) -> None:
    """Wait until a thread has a lock."""
    for _ in range(1000):
        if lock.locked():
            return
        threading.Event().wait(0.01)


def test_lock_of_a_task_that_was_cancelled_is_lost(hook: Hook) -> None:
    asyncio.run(cancelled_while_it_waits(threading.Lock()))
    assert hook.report.lost_locks == [Location(__file__, LINE, "wait_for")]


async def cancelled_before_it_knows(lock: threading.Lock) -> None:
    """The lock is there when the task is cancelled, which has not seen it yet."""
    task = asyncio.ensure_future(wait_for(lock))
    await asyncio.sleep(0)
    held(lock)
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task


def test_lock_that_was_taken_before_the_task_knew_is_lost(hook: Hook) -> None:
    asyncio.run(cancelled_before_it_knows(threading.Lock()))
    assert len(hook.report.lost_locks) == 1


async def released_afterwards(lock: threading.Lock) -> None:
    await cancelled_while_it_waits(lock)
    lock.release()
    await wait_for(lock)


async def in_turn(lock: threading.Lock) -> None:
    async def use() -> None:
        await wait_for(lock)
        try:
            await asyncio.sleep(0.01)
        finally:
            lock.release()

    tasks = [asyncio.ensure_future(use()) for _ in range(4)]
    await asyncio.gather(*tasks)


async def cancelled_with_the_lock(lock: threading.Lock) -> None:
    async def use() -> None:
        await wait_for(lock)
        try:
            await asyncio.sleep(PATIENCE)
        finally:
            lock.release()

    task = asyncio.ensure_future(use())
    await asyncio.sleep(0)
    await asyncio.to_thread(held, lock)
    await asyncio.sleep(0.05)
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task


async def of_the_loop(_: threading.Lock) -> None:
    lock = asyncio.Lock()
    await lock.acquire()
    task = asyncio.ensure_future(lock.acquire())
    await asyncio.sleep(0)
    task.cancel()
    lock.release()


async def held_by_a_task(lock: threading.Lock) -> None:
    await wait_for(lock)


@pytest.mark.parametrize(
    "play",
    [released_afterwards, in_turn, cancelled_with_the_lock, of_the_loop, held_by_a_task],
)
def test_other_locks_are_not_lost(
    hook: Hook, play: Callable[[threading.Lock], Coroutine[Any, Any, None]]
) -> None:
    asyncio.run(play(threading.Lock()))
    assert hook.report.lost_locks == []


def test_lines_of_lost_locks_are_named_once() -> None:
    place = Location("/train.py", 52, "rollout")
    training = Training((), lost_locks=(place, place))
    assert Training.from_dict(training.as_dict()) == training
    assert "a lock is held that a thread took at train.py:52 for a task" in lost_lock(training)
    assert "asyncio.Lock" in lost_lock_remedy(training)
    assert (lost_lock(Training(())), lost_lock_remedy(Training(()))) == ("", "")
