"""Waits of processes that stand still, in words; the remedy for a full pipe."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise

from envdoctor.model.finding import Location
from envdoctor.model.waits import CHILD, LOCK, PIPE, READS, SOCKET, TERMINAL, TIME, WRITES, Wait
from envdoctor.rules.evidence.stacks import Stack, innermost_own, is_installed, parse_stacks
from envdoctor.rules.evidence.training import of

#: The function of multiprocessing that feeds the pipe of a queue, and its file.
FEEDER = "_feed", "multiprocessing/queues.py"
#: How the stack of a main thread begins, and the method and file in which it waits for another.
MAIN = "Current thread"
JOIN = "join", "/threading.py"
#: What a thread waits for in a lock, by the function of Python's library that takes it.
EMPTY, FULL = "for something in a queue that is empty", "for room in a queue that is full"
ITS_THREADS = "for the end of its threads"

#: By what a trainer waits for in a library.
REMEDIES = {
    EMPTY: "see who should put something into the queue: put None when nothing more will come; or"
    " call get(timeout=60), which raises queue.Empty.",
    FULL: "take out of the queue in another thread, or before more is put; or make it without a"
    " maxsize; put(timeout=60) raises queue.Full.",
    ITS_THREADS: "end them before the script ends: close what has started them (a writer, an"
    " executor); or start them with daemon=True: Python waits at its exit for all others.",
}
IN_LIBRARY = {
    ("get", "queue.py"): EMPTY,
    ("put", "queue.py"): FULL,
    ("_shutdown", "threading.py"): ITS_THREADS,
}
PLACES = 3  # of other threads that are named
LONGEST = 60  # characters of a command line


def waits_by_process(waits: Iterable[Wait]) -> dict[int, Wait]:
    """Of each process the wait that says most: that of its main thread, or, where that waits for
    another thread of it, that of one that writes to a full pipe.
    """
    values: dict[int, Wait] = {}
    for each in waits:
        feeds = each.on == PIPE and each.way == WRITES and each.known
        before = values.get(each.pid)
        if before is None or (feeds and before.on == LOCK):
            values[each.pid] = each
    return values


def but_for(ticking: int) -> str:
    """` but 1 thread that only sleeps and wakes`; nothing of none."""
    if not ticking:
        return ""
    threads = "1 thread that only sleeps and wakes"
    return f" but {threads if ticking == 1 else f'{ticking} threads that only sleep and wake'}"


def is_deadlock(waits: Sequence[Wait], start: int) -> bool:
    """Return whether nothing can wake a process any more: each of its threads, and of those of the
    processes that could wake them, waits for what only these processes could give.
    """
    ahead, known = [start], set[int]()
    while ahead:
        pid = ahead.pop()
        if pid in known:
            continue
        known.add(pid)
        own = [each for each in waits if each.pid == pid]
        if not own or not all(each.known for each in own):
            return False
        ahead += [peer for each in own for peer in each.peers]
    return True


def waits_for_itself(own: Wait) -> bool:
    """Return whether a process waits for what only it has the other end of."""
    is_read = own.on in (PIPE, SOCKET) and own.way == READS
    return is_read and own.known and set(own.peers) == {own.pid}


def chain(waits: Iterable[Wait], start: int) -> Iterator[Wait]:
    """The waits that keep a process waiting: its own, those of whom it waits for, and so on."""
    by_process, ahead, known = waits_by_process(waits), [start], set[int]()
    while ahead:
        pid = ahead.pop(0)
        if pid in known or pid not in by_process:
            continue
        known.add(pid)
        yield by_process[pid]
        ahead += by_process[pid].peers


def full_pipe(waits: Iterable[Wait], reader: int) -> Wait | None:
    """The wait of another process that keeps `reader` waiting, and writes to a pipe that it has to
    read.
    """
    return next(
        (
            each
            for each in chain(waits, reader)
            if each.on == PIPE
            and each.way == WRITES
            and each.known
            and each.pid != reader
            and reader in each.peers
        ),
        None,
    )


def pipe_remedy(writer: Wait, waits: Iterable[Wait] = ()) -> str:
    """Return what to do where a pipe is full that is not read. `waits` are those of all processes:
    a reader that waits for the end of the writer has only to read up to it.
    """
    if any(each.on == CHILD and writer.pid in each.peers for each in waits):
        return f"read the pipe until {program(writer)} ends: call communicate() in place of wait()."
    return (
        f"read the pipe that {program(writer)} writes to while it runs, in a thread for it; or do"
        " not make one: give its Popen(stdout=subprocess.DEVNULL), or a file."
    )


def pipe_words(writer: Wait) -> str:
    """Return what a process that has to read a pipe does not do, said after the call that hangs."""
    return (
        f"it waits for {program(writer)}, which waits in {writer.call}() to a full pipe that this"
        " process does not read"
    )


def program(wait: Wait) -> str:
    """`pid 12 (python engine.py)`."""
    words = " ".join(re.sub(r"\S*/(?=\S)", "", wait.command).split())
    short = words if len(words) <= LONGEST else f"{words[: LONGEST - 3]}..."
    return f"pid {wait.pid} ({short})" if short else f"pid {wait.pid}"


def sentences(
    waits: Sequence[Wait], stacks: str, trainer: int, exiting: Collection[int] = ()
) -> Iterator[str]:
    """One for each process, the trainer's first, then those that it waits for, and those whose
    queues are full. The code of the `exiting` had ended.
    """
    by_process = waits_by_process(waits)
    first = [each.pid for each in chain(waits, trainer)]
    full = [pid for pid in sorted(by_process) if is_fed(by_process[pid], stacks)]
    order = [trainer, *first, *full, *sorted(by_process)]
    for pid in dict.fromkeys(pid for pid in order if pid in by_process):
        wait = by_process[pid]
        who = "the trainer" if pid == trainer else program(wait)
        at = place(stacks, pid) if wait.main else ""
        purpose = purpose_in_library(wait, stacks) or _purpose(wait, trainer)
        at = " at its exit" if pid in exiting or purpose == ITS_THREADS else at
        if is_fed(wait, stacks):
            yield f"{who} waits{at} for the feeder thread of a queue, {_pipe(wait, trainer)}"
        else:
            others = _other_threads(wait, waits, stacks, trainer)
            yield f"{who} waits{at} {purpose}{others}"


def purpose_in_library(wait: Wait, stacks: str) -> str:
    """Say what a main thread waits for in a lock, where a function of Python's library tells."""
    codes = map(_code, _threads(stacks, wait.pid)[0]) if wait.main and wait.on == LOCK else ()
    return next(filter(None, map(_in_library, codes)), "") if wait.known else ""


def asks_for_more(waits: Iterable[Wait], stacks: str, pid: int) -> bool:
    """True if the main thread of a process waits for something in a queue, and so do all others of
    it, one of which would have to put it there.
    """
    own = waits_by_process(waits).get(pid)
    if own is None or purpose_in_library(own, stacks) != EMPTY:
        return False
    _, others = _threads(stacks, pid)
    return bool(others) and all(
        any(_in_library(_code(frame)) == EMPTY for frame in thread) for thread in others
    )


def _in_library(code: tuple[str, str]) -> str:
    folder, _, name = code[1].rpartition("/")
    return IN_LIBRARY.get((code[0], name), "") if folder.startswith("python3") else ""


def is_fed(wait: Wait, stacks: str) -> bool:
    """True if a wait is that of the thread that writes what was put into a queue to its pipe."""
    if wait.main or wait.on != PIPE or wait.way != WRITES:
        return False
    return _has_feeder(wait.pid, stacks)


def fed_beside(waits: Iterable[Wait], own: Wait, stacks: str) -> Wait | None:
    """The wait of a feeder that writes to a full pipe which a process has to read, where a child
    that it waits for has a feeder, too: both put into one queue, and its lock lets them write in
    turn.
    """
    if not any(_has_feeder(pid, stacks) for pid in own.peers):
        return None
    fed = (each for each in waits if is_fed(each, stacks) and own.pid in each.peers)
    return next(fed, None)


def _has_feeder(pid: int, stacks: str) -> bool:
    own = parse_stacks(stacks_of(stacks, pid))
    return any((*FEEDER,) == _code(frame) for thread in own for frame in thread)


def joins_thread(wait: Wait, stacks: str) -> bool:
    """True if a wait is that of a main thread in join() of another, not of a queue's feeder."""
    if not wait.main or wait.on != LOCK:
        return False
    codes = [_code(frame) for frame in _threads(stacks, wait.pid)[0]]
    joins = any(name == JOIN[0] and file.endswith(JOIN[1]) for name, file in codes)
    return joins and all(file != FEEDER[1] for _, file in codes)


def _other_threads(wait: Wait, waits: Iterable[Wait], stacks: str, trainer: int) -> str:
    """Say where the other threads of a process are, one of which may end the wait of its main
    thread for a lock; and what they wait for, where all of them wait for the same.
    """
    if not wait.main or wait.on != LOCK:
        return ""
    _, others = _threads(stacks, wait.pid)
    users = [
        thread
        for thread in others
        if (frame := innermost_own(thread)) is not None and not is_installed(frame.file)
    ]
    places = Counter(filter(None, map(_in_thread, users or others)))
    if not places:
        return ""
    (first, number), *more = places.most_common(PLACES)
    words = [f"{of(number, 'other thread')} of it {'waits' if number == 1 else 'wait'}{first}"]
    words += [f"{each}{at}" for at, each in more]
    own = [each for each in waits if each.pid == wait.pid and not each.main]
    purposes = {_purpose(each, trainer) for each in own}
    is_sure = len(purposes) == len(places) == 1 and len(own) == len(others)
    return f", while {' and '.join(words)}{f' {purposes.pop()}' if is_sure else ''}"


def _threads(stacks: str, pid: int) -> tuple[Stack, tuple[Stack, ...]]:
    """The main thread of a process, and its others; none where it is not known which is which."""
    own = stacks_of(stacks, pid)
    main, *others = parse_stacks(own) or ((),)
    return main, tuple(others) if MAIN in own else ()


def _code(frame: Location) -> tuple[str, str]:
    return frame.function, "/".join(frame.file.replace("\\", "/").split("/")[-2:])


def _pipe(wait: Wait, trainer: int) -> str:
    """Say who could read the pipe that a feeder thread writes to."""
    who = _listed([peer for peer in wait.peers if peer != wait.pid], trainer)
    if who:
        return f"which waits until {who} reads its pipe, which is full"
    return "whose pipe is full, and which no other process reads"


def place(stacks: str, pid: int) -> str:
    """` in get() (train.py:63)`: what the user's code has called there; nothing without stacks."""
    main, _ = _threads(stacks, pid)
    return _in_thread(main)


def _in_thread(thread: Stack) -> str:
    """Describe the wait of one thread."""
    frame = innermost_own(thread)
    if frame is None:
        return ""
    calls = (inner.function for inner, outer in pairwise(thread) if outer == frame)
    called = next(calls, frame.function)
    file = frame.file.replace("\\", "/").rsplit("/", 1)[-1]
    return f" in {called}() ({file}:{frame.line})"


def stacks_of(stacks: str, pid: int) -> str:
    """The part of some stacks that is of one process."""
    parts = re.split(r"(?m)^(?=Process \d+ \()", stacks)
    return next((part for part in parts if part.startswith(f"Process {pid} (")), "")


def _purpose(wait: Wait, trainer: int) -> str:
    others = [peer for peer in wait.peers if peer != wait.pid]
    who = _listed(others, trainer)
    if wait.on == PIPE and wait.way == WRITES:
        if who or not wait.known:
            return f"until {who or 'it'} reads a pipe that is full"
        return "until a pipe is read that is full, and that no other process reads"
    if wait.on in (PIPE, SOCKET) and wait.way == READS:
        kind = "pipe" if wait.on == PIPE else "socket"
        if who:
            return f"for an answer of {who} on a {kind}"
        alone = wait.known and bool(wait.peers)
        return f"for a {kind} whose other end only it has itself" if alone else f"for a {kind}"
    if wait.on == CHILD:
        return f"for the end of {who}" if who else "for the end of a child"
    words = {
        LOCK: _lock(wait, who),
        TIME: "for time to pass",
        TERMINAL: "for input from the terminal",
        SOCKET: "to write to a socket",
    }
    return words.get(wait.on, f"in {wait.call}()")


def _lock(wait: Wait, who: str) -> str:
    if wait.known and who:
        return f"for a lock that it shares with {who}"
    return "for a lock of its own" if wait.known else "for a lock or for time to pass"


def _listed(pids: Sequence[int], trainer: int) -> str:
    names = ["the trainer" if pid == trainer else f"pid {pid}" for pid in pids[:3]]
    more = len(pids) - len(names)
    return " or ".join(names) + (f" or {more} more" if more else "")
