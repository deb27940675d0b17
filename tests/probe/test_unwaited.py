"""Children whose Popen object is given up before anything has asked how they ended."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from envdoctor.probe.tracing.unwaited import UnwaitedChildren

Child = subprocess.Popen[bytes]


def started() -> Child:
    return subprocess.Popen(["sleep", "600"])


@contextlib.contextmanager
def handler_of_children() -> Iterator[None]:
    before = signal.signal(signal.SIGCHLD, lambda *_: None)
    yield
    signal.signal(signal.SIGCHLD, before)


def records_of(end: Callable[[Child], object]) -> list[dict[str, Any]]:
    """The records of a child that was ended in a way, and given up; it is reaped afterwards."""
    children = UnwaitedChildren()
    with children.listening(), warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        child = started()
        pid = child.pid
        end(child)
        del child
        value = children.pop()
    subprocess._cleanup()  # type: ignore[attr-defined]
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, 0)
    assert [each["child"] for each in value] in ([], [pid])
    return value


def killed(child: Child) -> None:
    child.kill()


def killed_and_dead(child: Child) -> None:
    """By then its end is there to be asked for."""
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)


def waited(child: Child) -> None:
    child.kill()
    child.wait()


def polled(child: Child) -> None:
    killed_and_dead(child)
    child.poll()


def waited_by_hand(child: Child) -> None:
    child.kill()
    os.waitpid(child.pid, 0)


@pytest.mark.parametrize("end", [killed, killed_and_dead])
def test_child_that_nothing_waited_for_is_reported(end: Callable[[Child], object]) -> None:
    assert [each["name"] for each in records_of(end)] == ["sleep"]


@pytest.mark.parametrize("end", [waited, polled, waited_by_hand])
def test_child_that_was_waited_for_is_not_reported(end: Callable[[Child], object]) -> None:
    assert records_of(end) == []


def test_child_that_a_handler_may_wait_for_is_not_reported() -> None:
    with handler_of_children():
        assert records_of(killed) == []


def test_child_that_a_thread_may_wait_for_is_not_reported() -> None:
    over = threading.Event()
    thread = threading.Thread(target=over.wait)
    thread.start()
    assert records_of(killed) == []
    over.set()
    thread.join()


def test_python_warns_as_ever_and_the_finalizer_is_as_before() -> None:
    before = subprocess.Popen.__del__.__defaults__  # type: ignore[attr-defined]
    children = UnwaitedChildren()
    with children.listening(), pytest.warns(ResourceWarning, match="is still running") as heard:
        child = started()
        killed_and_dead(child)
        del child
    assert heard[0].filename == subprocess.__file__
    assert subprocess.Popen.__del__.__defaults__ == before  # type: ignore[attr-defined]
