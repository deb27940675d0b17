"""Locks that a thread of the parent holds when a process is forked, by values."""

from __future__ import annotations

import gc
import threading
import weakref
from pathlib import Path

import pytest

from envdoctor.model.finding import Location
from envdoctor.model.training_calls import HeldLock, LostThread
from envdoctor.model.training_events import announced
from envdoctor.probe.live.lost_threads import other_threads
from envdoctor.watch.held_locks import held_before

ENGINE = """\
import threading
LOCK = threading.Lock()
OTHER = threading.Lock()
CONDITION = threading.Condition()

def save(ready):
    with LOCK:
        ready.wait()

def write(self):
    self.lock.acquire()
    try:
        self.file.write("")
    finally:
        self.lock.release()

def serve():
    with CONDITION:
        CONDITION.wait()

def step(self):
    with OTHER, LOCK:
        return 1

def look(self):
    self.lock.acquire()

def ask():
    with CONDITION:
        return 2

def plain():
    return LOCK
"""
SAVES, WRITES, SERVES, STEPS, LOOKS, ASKS = 8, 13, 19, 22, 26, 29
PYTHON = "/usr/lib/python3.11/threading.py"
WAIT = Location(PYTHON, 327, "wait")


@pytest.fixture
def engine(tmp_path: Path) -> str:
    """The file of the engine."""
    path = tmp_path / "engine.py"
    path.write_text(ENGINE)
    return str(path)


def stacks(*frames: tuple[str, int]) -> str:
    """The stack of a main thread, the most recent call first."""
    lines = (f'  File "{file}", line {line} in step' for file, line in frames)
    return "\n".join(
        ("Process 7 (python train.py):", "Current thread 0x1 (most recent call first):", *lines)
    )


def thread(*frames: Location) -> LostThread:
    """A thread of the parent."""
    return LostThread("saver", frames)


@pytest.mark.parametrize(
    ("blocked", "held", "lock"),
    [
        (STEPS, SAVES, "LOCK"),
        (LOOKS, WRITES, "self.lock"),
        (STEPS, WRITES, ""),
        (LOOKS, SAVES, ""),
        (ASKS, SAVES, ""),
    ],
)
def test_lock_of_a_block_in_which_a_thread_was_is_held(
    engine: str, blocked: int, held: int, lock: str
) -> None:
    lost = thread(WAIT, Location(PYTHON, 629, "wait"), Location(engine, held, "save"))
    expected = HeldLock(7, lock, lost) if lock else None
    assert held_before(7, stacks((engine, blocked)), [lost]) == expected


def test_frames_of_threading_are_passed_over(engine: str) -> None:
    lost = thread(Location(engine, SAVES, "save"))
    held = held_before(7, stacks((PYTHON, 264), (engine, STEPS)), [lost])
    assert held == HeldLock(7, "LOCK", lost)


@pytest.mark.parametrize(
    ("inner", "is_held"),
    [
        ((), True),
        ((WAIT,), False),
        ((WAIT, Location(PYTHON, 360, "wait_for")), False),
        ((WAIT, Location(PYTHON, 629, "wait")), True),  # of an event, which has another lock
    ],
)
def test_condition_that_is_waited_for_is_not_held(
    engine: str, inner: tuple[Location, ...], is_held: bool
) -> None:
    lost = thread(*inner, Location(engine, SERVES, "serve"))
    assert (held_before(7, stacks((engine, ASKS)), [lost]) is not None) is is_held


def test_thread_that_only_begins_to_wait_for_a_lock_does_not_hold_it(engine: str) -> None:
    lost = thread(Location(engine, SAVES - 1, "save"))
    assert held_before(7, stacks((engine, STEPS)), [lost]) is None


@pytest.mark.parametrize(
    ("stack", "file"),
    [("", "engine.py"), (stacks(("/gone.py", 3)), "/gone.py")],
    ids=["no py-spy", "no source"],
)
def test_lock_of_an_unknown_stack_is_not_reported_as_held(stack: str, file: str) -> None:
    assert held_before(7, stack, [thread(Location(file, SAVES, "save"))]) is None


@pytest.mark.parametrize(
    ("header", "lock", "is_held"),
    [
        ("from engine import LOCK", "LOCK", True),
        ("from .engine import LOCK as KEY", "KEY", True),
        ("import engine as e", "e.LOCK", True),
        ("from rob import engine", "engine.LOCK", True),
        ("import threading", "LOCK", False),
        ("import other", "other.LOCK", False),
        ("from other import LOCK", "LOCK", False),
        ("from engine import OTHER", "OTHER", False),
        ("import engine", "self.lock", False),
    ],
)
def test_lock_of_another_file_is_the_same_by_what_is_imported(
    engine: str, tmp_path: Path, header: str, lock: str, is_held: bool
) -> None:
    train = tmp_path / "train.py"
    train.write_text(f"{header}\ndef step(self):\n    with {lock}:\n        pass\n")
    lost = thread(Location(engine, SAVES, "save"))
    held = held_before(7, stacks((str(train), 3)), [lost])
    assert held == (HeldLock(7, lock, lost) if is_held else None)


def test_other_threads_are_noted_with_their_frames() -> None:
    started, ready = threading.Event(), threading.Event()

    def hold() -> None:
        started.set()
        ready.wait()

    saver = threading.Thread(target=hold, name="saver")
    saver.start()
    try:
        started.wait(timeout=60)
        noted = other_threads()
    finally:
        ready.set()
        saver.join(timeout=60)
    event = {"what": "fork", "pid": 7, "t": 1.0, "lost_threads": noted}
    lost = {each.name: each for each in announced(event).lost_threads}
    assert "hold" in {frame.function for frame in lost["saver"].frames}
    assert threading.current_thread().name not in lost


def test_frames_of_the_caller_are_let_go() -> None:
    class Held:
        """An object of a caller."""

    def call() -> weakref.ref[Held]:
        held = Held()
        other_threads()
        return weakref.ref(held)

    enabled = gc.isenabled()
    gc.disable()
    try:
        assert call()() is None
    finally:
        if enabled:
            gc.enable()
