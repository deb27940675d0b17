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

from envdoctor.probe.tracing import unwaited
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


def awaited_by_a_thread(child: Child) -> None:
    threading.Thread(target=os.waitpid, args=(child.pid, 0), daemon=True).start()
    while not unwaited._may_be_awaited():
        pass
    child.kill()


def test_child_that_a_thread_waits_for_is_not_reported() -> None:
    assert records_of(awaited_by_a_thread) == []


def test_child_whose_end_a_thread_may_see_is_not_reported() -> None:
    over = threading.Event()
    threading.Thread(target=over.wait, daemon=True).start()
    descriptor = os.pidfd_open(os.getpid())
    try:
        assert records_of(killed) == []
    finally:
        os.close(descriptor)
        over.set()


@pytest.mark.parametrize("end", [killed, killed_and_dead])
def test_thread_that_waits_for_something_else_hides_no_child(
    end: Callable[[Child], object],
) -> None:
    """Case: an environment with a thread of its own, that kills its simulator in close()."""
    over = threading.Event()
    threading.Thread(target=over.wait, daemon=True).start()
    try:
        assert [each["name"] for each in records_of(end)] == ["sleep"]
    finally:
        over.set()


def test_killed_child_and_its_pipe_are_gone_each_time() -> None:
    """Where Python asks a moment too early, it keeps both until the next Popen is made."""
    children = UnwaitedChildren()
    with children.listening(), warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        for _ in range(20):
            child = subprocess.Popen(["sleep", "600"], stdout=subprocess.PIPE)
            child.kill()
            del child
            assert not subprocess._active  # type: ignore[attr-defined]
    assert len(children.pop()) == 20


def test_python_warns_as_ever_and_the_finalizer_is_as_before() -> None:
    before = subprocess.Popen.__del__.__defaults__  # type: ignore[attr-defined]
    children = UnwaitedChildren()
    with children.listening(), pytest.warns(ResourceWarning, match="is still running") as heard:
        child = started()
        killed_and_dead(child)
        del child
    assert heard[0].filename == subprocess.__file__
    assert subprocess.Popen.__del__.__defaults__ == before  # type: ignore[attr-defined]
