"""Threads of a process that wait for each other, where none is left that could end that."""

from __future__ import annotations

from collections.abc import Sequence

from envdoctor.model.finding import Location
from envdoctor.model.training import Standstill
from envdoctor.model.training_calls import Waker
from envdoctor.rules.evidence.hangs import short
from envdoctor.rules.evidence.stacks import Stack, parse_stacks
from envdoctor.rules.wording.waits import (
    ITS_THREADS,
    is_deadlock,
    joins_thread,
    purpose_in_library,
    stacks_of,
    waits_by_process,
)

LOCKS = ("threading.py", "queue.py")  # of Python's library, in which threads wait for each other
MOST = 2  # lines that are named


def missed_calls(still: Standstill, pid: int) -> tuple[Waker, ...]:
    """The calls that would end the wait of a thread of the trainer, where all threads of it wait in
    locks, for what only its own threads could give: none is left to make them. Where its main
    thread waits for the end of others, these have to end first.
    """
    own = waits_by_process(still.waits).get(pid)
    if own is None or joins_thread(own, still.stacks):
        return ()
    if purpose_in_library(own, still.stacks) == ITS_THREADS:
        return ()
    threads = parse_stacks(stacks_of(still.stacks, pid))
    peers = {peer for wait in still.waits if wait.pid == pid for peer in wait.peers}
    is_closed = is_deadlock(still.waits, pid) and peers == {pid}
    if len(threads) < 2 or not is_closed or not all(map(_waits_in_lock, threads)):
        return ()
    return tuple(each for each in still.wakers if each.pid == pid)


def no_thread_left(calls: Sequence[Waker]) -> str:
    """`; only notify_all() in insert() (table.py:18) ends the wait at table.py:28, and ...`."""
    if not calls:
        return ""
    waits = calls[0].waits
    lines = [_words(each) for each in calls if each.waits == waits]
    return (
        f"; only {' or '.join(lines[:MOST])} ends the wait at {_at(waits)}, and no thread is left"
        " that could call it"
    )


def how_to_leave_one(calls: Sequence[Waker], place: Location | None) -> str:
    """Return how a thread is left that ends the wait of the other; nothing without calls."""
    if not calls:
        return ""
    function, here = calls[0].location.function, f" at {_at(place)}" if place else ""
    what = f"{function}()" if function else f"{calls[0].method}()"
    return (
        f"do not wait{here} in the thread that is to call {what}, unless what it waits for is there"
        " already; or let another thread call it; or give the wait a limit, as get(timeout=60) has"
        " one, and go on after it."
    )


def _words(waker: Waker) -> str:
    function = waker.location.function
    return f"{waker.method}(){f' in {function}()' if function else ''} ({_at(waker.location)})"


def _at(place: Location) -> str:
    return f"{short(place.file)}:{place.line}"


def _waits_in_lock(thread: Stack) -> bool:
    """Return whether a thread is in a function of Python's library that waits for another one."""
    return bool(thread) and thread[0].file.replace("\\", "/").rpartition("/")[2] in LOCKS
