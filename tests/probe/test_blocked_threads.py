"""Threads that wait for a lock for ever are known as such, and readings do not wait for them; what may
end by itself is waited for.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from envdoctor.probe.system import blocked_threads
from envdoctor.probe.system.blocked_threads import waits_for_ever
from tests.probe.fresh import run

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="the kernel tells only on Linux"
)

#: As /proc/PID/task/TID/syscall has it: number, six arguments, stack pointer, program counter.
LINE = "{} 0x7f5a {} 0x0 {} 0x0 0xffffffff 0x7f5b 0x7f5c"
FOREVER, PRIVATE, SHARED, WAKE = "0x0", "0x189", "0x109", "0x81"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (LINE.format(202, PRIVATE, FOREVER), True),
        (LINE.format(202, "0x80", FOREVER), True),
        (LINE.format(202, PRIVATE, "0x7ffe"), False),
        (LINE.format(202, SHARED, FOREVER), False),
        (LINE.format(202, WAKE, FOREVER), False),
        (LINE.format(230, PRIVATE, FOREVER), False),
        ("running", False),
        ("-1 0x7ffe 0x7f00", False),
        ("", False),
    ],
)
def test_only_a_private_lock_without_a_limit_is_waited_for_for_ever(
    line: str, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocked_threads, "_FUTEX", 202)
    assert waits_for_ever(line) is expected


START = """
import threading, time
from envdoctor.probe.system import blocked_threads, kernel

def begin(target):
    thread = threading.Thread(target=target, daemon=True)
    thread.start()
    return thread

def is_asleep(thread):
    return kernel.read(f"/proc/self/task/{thread.native_id}/stat").rpartition(")")[2].split()[0] == "S"

def until(holds):
    end = time.monotonic() + 60
    while not holds() and time.monotonic() < end:
        real_sleep(0.001)
    assert holds()

real_sleep = time.sleep
"""

BLOCKED = START + "thread = begin(threading.Event().wait)\nuntil(blocked_threads.look)\n"


def test_thread_that_waits_for_an_event_is_blocked(tmp_path: Path) -> None:
    body = (
        BLOCKED
        + "tell([len(blocked_threads.look()), blocked_threads.look() == blocked_threads.look()])"
    )
    assert run(body, tmp_path) == [1, True]


@pytest.mark.parametrize(
    "target",
    [
        "lambda: threading.Event().wait(600)",
        "lambda: real_sleep(600)",
        "lambda: os.read(os.pipe()[0], 1)",
    ],
)
def test_thread_that_may_go_on_by_itself_is_not_blocked(target: str, tmp_path: Path) -> None:
    """Nor are those beside it, which it may wake."""
    body = BLOCKED + f"other = begin({target})\nuntil(lambda: is_asleep(other))\n"
    assert run(body + "tell([blocked_threads.look() for _ in range(9)])", tmp_path) == [None] * 9


def test_handler_of_a_signal_may_wake_a_thread(tmp_path: Path) -> None:
    body = BLOCKED + "import signal\nsignal.signal(signal.SIGALRM, lambda *_: None)\n"
    assert run(body + "tell(blocked_threads.look())", tmp_path) is None


#: Readings of the judged life; `pauses` are those of the grace, `wake` is called in each.
READINGS = """
from types import SimpleNamespace
from envdoctor.probe import readings as module
from envdoctor.probe.sensors import Sensors

pauses, wake = [], lambda number: None

def sleep(seconds):
    pauses.append(seconds)
    real_sleep(seconds)
    wake(len(pauses))

module.time = SimpleNamespace(sleep=sleep)
open("stdout", "w").close()
seen = {}
journal = SimpleNamespace(write=lambda *_, point, sensors, **more: seen.update({point: sensors}))
readings = module.Readings(journal, Sensors(Context(os.getcwd(), 0)), judged_life=0)
readings.begin()

def left(point):
    return len(set(seen[point]["threads"]) - set(seen["before"]["threads"]))
"""


def test_grace_ends_at_once_where_all_that_is_left_is_blocked(tmp_path: Path) -> None:
    body = (
        START + READINGS + "thread = begin(threading.Event().wait)\nuntil(blocked_threads.look)\n"
    )
    body += "readings.held()\nreadings.collected()\n"
    told = run(body + "tell([left('held'), left('collected'), len(pauses)])", tmp_path)
    assert told == [1, 1, 2], "one pause between two looks, in each reading"


def test_thread_that_ends_within_the_grace_is_not_left(tmp_path: Path) -> None:
    body = START + READINGS + "ending = threading.Event()\n"
    body += """
def wake(number):
    if number == 4:
        ending.set()
        thread.join(60)

thread = begin(lambda: ending.wait(600))
begin(threading.Event().wait)
until(lambda: is_asleep(thread))
readings.held()
tell([left("held"), len(pauses)])
"""
    threads_left, pauses = run(body, tmp_path)
    assert threads_left == 1, "the one that is blocked"
    assert pauses > 4


def test_meters_do_not_wait_for_blocked_threads(tmp_path: Path) -> None:
    body = (
        START
        + """
pauses = []
def sleep(seconds):
    pauses.append(seconds)
    real_sleep(seconds)

def seven():
    for _ in range(7):
        begin(threading.Event().wait)
    until(blocked_threads.look)

from types import SimpleNamespace
meters.time = SimpleNamespace(sleep=sleep)
at, counts = reader.names.index("threads"), []
for _ in range(2):
    before, after = reader.blank(), reader.blank()
    reader.read(before)
    seven()
    reader.rest(before, 7)
    reader.read(after)
    counts.append([after[at] - before[at], len(pauses)])
tell(counts)
"""
    )
    assert run(body, tmp_path) == [[7, 1], [7, 1]], "as many stay after as many cycles again"


def test_later_lifecycles_do_not_wait_where_the_judged_one_left_what_stays(tmp_path: Path) -> None:
    """A thread that may end by itself."""
    body = (
        START
        + READINGS
        + """
def lives(judged, stays):
    pauses.clear()
    again = module.Readings(journal, readings.sensors, judged, stays=stays)
    again.begin()
    thread = begin(lambda: real_sleep(600))
    until(lambda: is_asleep(thread))
    again.collected()
    return len(pauses) > 0, again.dirty()

first, other, judged, later = lives(None, "stays"), lives(0, ""), lives(0, "stays"), lives(None, "stays")
tell([first, other, judged, later])
"""
    )
    waits, hastens = [True, ["threads"]], [False, ["threads"]]
    assert run(body, tmp_path) == [waits, waits, waits, hastens]
