"""Words and remedies for a training that stands still, by what it waits for."""

from __future__ import annotations

from collections.abc import Sequence

from envdoctor.model.finding import Location
from envdoctor.model.training import THREAD, Site, Standstill, Training
from envdoctor.model.training_calls import Waker
from envdoctor.model.training_ends import Polling
from envdoctor.model.waits import CHILD, LOCK
from envdoctor.rules.evidence.hangs import short
from envdoctor.rules.evidence.stacks import Stack, parse_stacks
from envdoctor.rules.evidence.training import of, signal_name
from envdoctor.rules.evidence.training_sites import unclosed_vectorizers
from envdoctor.rules.wording.leftovers import listing
from envdoctor.rules.wording.waits import (
    ITS_THREADS,
    REMEDIES,
    fed_beside,
    full_pipe,
    is_deadlock,
    is_fed,
    joins_thread,
    pipe_remedy,
    purpose_in_library,
    stacks_of,
    waits_by_process,
    waits_for_itself,
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


_LIMIT = "give the wait a limit, and raise with what is missing when it expires."


def sentence_of(polling: Polling, at: Location | None, ended: list[Site]) -> str:
    """The sentence on a trainer that polled until Ctrl-C."""
    began = f"the environments began {of(polling.resets, 'episode')}"
    meanwhile = began if polling.resets else "no environment was reset"
    return (
        f"the trainer polled for {polling.seconds:.0f} s until Ctrl-C{_place_of(at, polling)}: it"
        f" slept {polling.wakes:,} times and sent nothing, while {meanwhile}{_ended_words(ended)}"
    )


def _place_of(at: Location | None, polling: Polling) -> str:
    """` in wait (viewer.py:52), called in main (play.py:43)`: the line that slept, and the
    innermost one of another file.
    """
    if at is None:
        return ""
    caller = next((each for each in reversed(polling.frames) if each.file != at.file), None)
    called = f", called in {_named(caller)}" if caller is not None else ""
    return f" in {_named(at)}{called}"


def _named(at: Location) -> str:
    return f"{at.function} ({short(at.file)}:{at.line})"


def ended_threads(training: Training, at: Location | None, polling: Polling) -> list[Site]:
    """The lines of the file that waits whose threads, all of them, had ended."""
    if at is None or not polling.threads:
        return []
    return [
        each
        for each in training.sites
        if (each.kind, each.pid) == (THREAD, training.pid)
        if each.location is not None and each.location.file == at.file
        if len(each.pids) == each.made and not set(each.pids) & set(polling.threads)
    ]


def _ended_words(ended: list[Site]) -> str:
    """`; the thread of draw(), started at viewer.py:60 in launch(), had ended`, or nothing."""
    words = []
    for site in ended:
        name = site.function.rsplit(".", 1)[-1] or site.class_name
        threads = "the thread" if site.made == 1 else f"the {site.made} threads"
        words.append(f"; {threads} of {name}(), started at {site.place}, had ended")
    return "".join(words)


def remedy_of(ended: list[Site]) -> str:
    """The remedy where a trainer polls."""
    if ended:
        return (
            "see whether it waits for what such a thread would do: let the loop look at what ends"
            f" the thread, too, such as not thread.is_alive(); {_LIMIT}"
        )
    return f"see what it waits for there, and whether that can still come; {_LIMIT}"


def lost_lock(training: Training) -> str:
    """`; a lock is still held that a thread took at train.py:52 ...`, or nothing."""
    lines = dict.fromkeys(f"{short(place.file)}:{place.line}" for place in training.lost_locks)
    if not lines:
        return ""
    return (
        f"; a lock is held that a thread took at {listing(list(lines))} for a task that was"
        " cancelled while it waited, so that nothing releases it"
    )


def lost_lock_remedy(training: Training) -> str:
    """Return how a task gives back what was taken for it; nothing where no lock was lost."""
    if not training.lost_locks:
        return ""
    return (
        "use asyncio.Lock in place of a lock that a thread waits for: a task that is cancelled does"
        " not take it. Or keep the future of acquire(), and release the lock when it comes back."
    )


def standstill_remedy(training: Training, still: Standstill) -> str:
    """Return the cure."""
    trainer = training.pid
    writer = full_pipe(still.waits, trainer)
    own = waits_by_process(still.waits).get(trainer)
    if own is not None and waits_for_itself(own) and ended_by_ctrl_c(training):
        return (
            "let the workers leave Ctrl-C to the trainer, which asks them to end:"
            " signal.signal(signal.SIGINT, signal.SIG_IGN) in each; or close their ends of the"
            " pipes in the trainer once they have started: recv() then raises EOFError."
        )
    if own is not None and waits_for_itself(own):
        return (
            "close the worker's end of each pipe in the trainer once the worker has started:"
            " recv() then raises EOFError where the worker has ended."
        )
    if own is not None and joins_thread(own, still.stacks):
        return (
            "end the thread before it is joined: send it a last value, such as None; or give its"
            " waits a limit, get(timeout=60), and set an event that it looks at."
        )
    if own is not None and (purpose := purpose_in_library(own, still.stacks)) in REMEDIES:
        return REMEDIES[purpose]
    if own is not None and is_fed(own, still.stacks):
        return (
            "read the queue until it is empty before the script ends; or call cancel_join_thread()"
            " of it, which gives up what was put."
        )
    if writer is None and own is not None and own.on == CHILD:
        writer = fed_beside(still.waits, own, still.stacks)
    if writer is not None and own is not None and own.on == CHILD:
        return (
            "take what the child sends (queue.get(), or read its pipe) before join() or wait(): it"
            " ends when all that it wrote was read."
        )
    if writer is not None:
        return pipe_remedy(writer)
    if own is not None and own.on == CHILD and training.is_exiting(trainer):
        unclosed = unclosed_vectorizers(training, trainer)
        made = unclosed[0].name if len(unclosed) == 1 else "the vectorizer"
        return (
            f"close {made} in a `finally`, so that its workers end; or start them with daemon=True:"
            " Python waits at its exit for all others."
        )
    return "see what each process waits for, and give each wait a limit: get(timeout=60)."


def held_by_ended(training: Training, still: Standstill) -> tuple[str, str]:
    """Return which workers had ended by themselves before, and may hold the lock that others wait
    for, and the cure; nothing where none waits for one that it shares.
    """
    shared = [each for each in still.waits if each.on == LOCK and set(each.peers) - {each.pid}]
    around = {training.pid, *(pid for each in shared for pid in (each.pid, *each.peers))}
    ended = [
        (each.pid, signal_name(each.code) or f"ended with exit code {each.code}")
        for each in training.processes
        if each.code and each.parent in around
        if each.ended is not None and each.ended < still.at
    ]
    if not shared or not ended:
        return "", ""
    pid, how = ended[0]
    more = f", as {of(len(ended) - 1, 'other')} did" if len(ended) > 1 else ""
    cure = (
        f"see what ended pid {pid}, and let no process end within `with lock:`, as by os._exit(),"
        " terminate() or too little memory. The trainer can look at exit codes while it waits:"
        " join(timeout=5)."
    )
    return f"; pid {pid} {how} before{more}, and nothing gives back a lock that it held", cure


def ended_by_ctrl_c(training: Training) -> bool:
    """Return whether Ctrl-C came, and its workers ended by that: by nothing else that is known."""
    workers = [each for each in training.processes if each.pid != training.pid]
    unwell = [each for each in workers if each.code and each.raised is None]
    return training.interrupted > 0 and bool(workers) and unwell == workers
