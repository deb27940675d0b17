"""Reports of event loops: tasks that are destroyed while pending, errors that are not retrieved."""

from __future__ import annotations

import asyncio
import gc
from asyncio.base_events import BaseEventLoop
from collections.abc import Callable
from typing import Any

from envdoctor.probe.tracing import unawaited
from envdoctor.probe.tracing.loop_reports import LoopReports


async def wait() -> None:
    """Never ends."""
    await asyncio.Event().wait()


async def fail() -> None:
    """Ends with an error."""
    raise ValueError("no joint")


def heard(act: Callable[[LoopReports], object], users: str = __file__) -> list[Any]:
    told: list[Any] = []

    def is_users(file: str) -> bool:
        return file == users

    reports = LoopReports(
        lambda one: told.append((one["name"], one["place"]["function"], one["destroyed"])),
        lambda name, error: told.append((name, str(error))),
        is_users,
    )
    reports.listen()
    try:
        with unawaited.listening(told.append, is_users):  # keeps the lines of coroutines
            act(reports)
            gc.collect()
    finally:
        reports.stop()
    return told


def forgotten(_: LoopReports) -> None:
    loop = asyncio.new_event_loop()
    task = loop.create_task(wait())
    loop.run_until_complete(asyncio.sleep(0))
    loop.close()
    del task


def test_a_task_that_is_destroyed_while_pending() -> None:
    assert heard(forgotten) == [("wait", "forgotten", True)]


def test_tasks_of_a_library_are_not_reported() -> None:
    assert heard(forgotten, users="elsewhere.py") == []


def test_an_error_that_is_never_retrieved() -> None:
    def act(_: LoopReports) -> None:
        loop = asyncio.new_event_loop()
        task = loop.create_task(fail())
        loop.run_until_complete(asyncio.sleep(0))
        loop.close()
        del task

    assert heard(act) == [("fail", "no joint")]


def test_a_pending_task_is_reported_once() -> None:
    def act(reports: LoopReports) -> None:
        loop = asyncio.new_event_loop()
        task = loop.create_task(wait())
        reports.tell_pending([task])
        reports.tell_pending([task])
        task.cancel()
        loop.run_until_complete(asyncio.wait([task]))
        reports.tell_pending([task])
        loop.close()

    assert heard(act) == [("wait", "act", False)]


def test_nothing_of_it_is_left() -> None:
    before = BaseEventLoop.call_exception_handler
    heard(forgotten)
    assert BaseEventLoop.call_exception_handler is before
