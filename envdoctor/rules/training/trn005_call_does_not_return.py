"""A call of an environment does not come back.

What it does
    Counts, in each process of a watched training, the calls of reset(), step(), close() and the
    constructor that began and that came back. One that was under way when its process was last
    seen, and in which no thread of the process ran for 5 s, is an error. A thread that only sleeps
    and wakes, such as one that keeps a connection alive, is passed over, and the call is a note
    then: that thread may bring the answer. Where the process ran for 30 s, it is a note: the call
    may only be slow. So is one that sleeps for less than twice as long as an earlier call that came
    back: it is not accused. Where py-spy is installed (`pip install envdoctor[watch]`), the stacks
    of the process are shown, and of the one that waits for it. Of a forked process it is said where
    the call waits for a lock that a thread of its parent held, or for a thread that only the parent
    has. A process that it had started, or a thread of it, is named with the exception that had
    ended it. A training that was attached to, and in which nothing ran at all, is a note.

Why it matters
    One environment that waits for ever holds up the whole training, and no log says which.

How to fix it
    Give what the environment waits for a limit:

        def step(self, action):
            self._socket.settimeout(30)
            return self._receive(action)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from envdoctor.model.errors import Frame
from envdoctor.model.finding import ENVIRONMENT, ERROR, NOTE, Finding, Location
from envdoctor.model.training import INTERRUPT, Standstill, Still, Training, TrainingProcess
from envdoctor.model.training_aims import MendFailure
from envdoctor.model.training_calls import LONG, SLOW, LongCall
from envdoctor.model.training_instances import Calls, Instances, Raised
from envdoctor.model.waits import LOCK, Wait
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.registry import WHERE_WATCHED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.stacks import own_frame
from envdoctor.rules.evidence.training import nothing_made, of, training_of, watched_view
from envdoctor.rules.evidence.training_deaths import GONE
from envdoctor.rules.evidence.training_forks import fork_cause
from envdoctor.rules.remedies.training_failures import spawn_workers
from envdoctor.rules.wording.waits import (
    asks_for_more,
    but_for,
    full_pipe,
    is_deadlock,
    pipe_remedy,
    pipe_words,
    sentences,
)

TOO_MANY = (
    "take as many results from the queue as orders were given: its threads wait for orders, and put"
    " no more; get(timeout=60) raises queue.Empty."
)


def _unjudged(view: View) -> str:
    return "" if _stands_still(training_of(view)) else nothing_made(view)


@rule(
    "TRN005",
    "call-does-not-return",
    explains=Cause.CALL_HANGS,
    severity=ERROR,
    where=WHERE_WATCHED,
    needs=("watch",),
    blames_itself=True,
    unjudged=_unjudged,
)
def call_does_not_return(view: View) -> Iterator[Finding]:
    training = training_of(view)
    rows = {(instance.pid, instance.row): instance for instance in training.instances}
    for call in training.long_calls:
        instances = rows.get((call.pid, call.row))
        if instances is None or not (call.asleep or call.seconds >= SLOW):
            continue
        stood, still = call.still >= LONG, training.standstill
        ran = f"nothing in its process{but_for(call.ticking)} ran"
        how = f"{ran} for {call.still:.0f} s" if stood else "it ran"
        waits = list(sentences(still.waits, still.stacks, training.pid)) if still else []
        why, remedy = _why(training, call, instances, waits)
        is_forked = call.still >= LONG and fork_cause(training, call, instances) is not None
        place = own_frame(call.stacks, call.method) or instances.location
        before = of(max(0, instances.calls(call.method).began - 1), "call")
        yield call_does_not_return.finding(
            f"{call.method}() of {instances.class_name} did not come back for {call.seconds:.0f} s"
            f" after {before}: {how}{why}{_waits(training, call)}",
            remedy,
            aim=_of_fork(training, instances) if is_forked else _aim(place, remedy),
            severity=ERROR if call.asleep and not call.ticking else NOTE,
            blame=ENVIRONMENT,
            location=place,
            key=(instances.type, call.method),
            evidence={
                "pid": call.pid,
                "vectorizer": instances.by,
                "seconds": call.seconds,
                "made_at": instances.place,
                "stacks": call.stacks,
                **({"waits": waits} if waits else {}),
            },
        )
    yield from _standstill(training)


def _of_fork(training: Training, instances: Instances) -> MendFailure | None:
    """Let the process make what it plays; or spawn it, where that was not made before the fork."""
    made = instances.location
    if instances.is_forked_copy and made is not None:
        return MendFailure(Frame(made.file, made.line), "process")
    return spawn_workers(training, made)


def _aim(place: Location | None, remedy: str) -> MendFailure | None:
    """Let as many results be taken as orders were given, at this line."""
    if place is None or remedy != TOO_MANY:
        return None
    return MendFailure(Frame(place.file, place.line), "orders")


def _why(
    training: Training, call: LongCall, instances: Instances, waits: list[str]
) -> tuple[str, str]:
    """Say what is known of why a call does not come back, and the remedy."""
    still, where = training.standstill, f"{instances.class_name}.{call.method}()"
    failed = _failed_before(training, call)
    if failed is not None:
        process, error = failed
        is_child = process.pid != call.pid
        who = f"pid {process.pid}, which its process had started," if is_child else "a thread of it"
        what = "process" if is_child else "thread"
        cure = (
            f"mend what raises there; and have {where} ask whether the {what} still runs"
            " (is_alive()) while it waits for an answer, and raise with how it ended."
        )
        return f"; {who} had ended by {error.sentence}", cure
    if call.still < LONG:
        return "", f"see whether {where} is slow or never ends."
    full = full_pipe(still.waits, call.pid) if still is not None else None
    if full is not None:
        return f"; {pipe_words(full)}", pipe_remedy(full)
    cause = fork_cause(training, call, instances)
    if cause:
        return f"; {cause.words}", cause.remedy
    if still is not None and _is_starved(still, call, training):
        return f"; {waits[0]}", TOO_MANY
    return "", f"find out what {where} waits for, and give it a limit."


def _failed_before(training: Training, call: LongCall) -> tuple[TrainingProcess, Raised] | None:
    """The process that the one with the call had started, or that one with a thread of it, that an
    exception had ended before the training did, and the exception.
    """
    errors = [
        *((each, each.raised) for each in training.processes if each.parent == call.pid),
        *((each, each.thread_raised) for each in training.processes if each.pid == call.pid),
    ]
    return next(
        (
            (process, error)
            for process, error in errors
            if error is not None
            and error.type not in (INTERRUPT, *GONE)
            and error.at < training.seconds - LONG
        ),
        None,
    )


def _is_starved(still: Standstill, call: LongCall, training: Training) -> bool:
    """Return whether the trainer's call waits in a queue for more than its threads will put."""
    if call.pid != training.pid or not is_deadlock(still.waits, call.pid):
        return False
    return asks_for_more(still.waits, still.stacks, call.pid)


def _stands_still(training: Training) -> bool:
    """Return True if it was attached to, and nothing in any of its processes ran. One still process
    shows nothing: the resource tracker of multiprocessing always waits.
    """
    running = {process.pid for process in training.processes if process.ended is None}
    return bool(running) and running <= {still.pid for still in training.still}


def _standstill(training: Training) -> Iterator[Finding]:
    """Of one that was attached to, where nothing at all ran: what its processes wait for, each
    place once.
    """
    if not _stands_still(training):
        return
    places: dict[str, list[Still]] = {}
    for still in training.still:
        place = own_frame(still.stacks, "")
        places.setdefault(place.function if place else "", []).append(still)
    for function, waiting in places.items():
        seconds, at = (
            min(still.seconds for still in waiting),
            f", in {function}()" if function else "",
        )
        yield call_does_not_return.finding(
            f"nothing in the training ran for {seconds:.0f} s{at}",
            "see in the stacks what each process waits for.",
            severity=NOTE,
            location=own_frame(waiting[0].stacks, ""),
            key=("standstill", function),
            evidence={
                "pids": [still.pid for still in waiting],
                "stacks": "\n".join(still.stacks for still in waiting if still.stacks),
            },
        )


def _waits(training: Training, call: LongCall) -> str:
    if not call.waiter:
        return ""
    return ", and the trainer's waited" if call.waiter == training.pid else ", and its parent's too"


_AT = Location("/train.py", 14)
_STARVED = """Process 1 (python train.py):
Current thread 0x1 (most recent call first):
  File "/usr/lib/python3.11/queue.py", line 171 in get
  File "/train.py", line 49 in recv
Thread 0x2 (most recent call first):
  File "/usr/lib/python3.11/queue.py", line {line} in {call}
  File "/train.py", line 42 in work
"""
_ARM = Instances(2, 1, "arm.Arm", _AT, step=Calls(41, 40))


def _example(
    seconds: float,
    still: float,
    waiter: int = 0,
    usual: float = 0.0,
    processes: tuple[TrainingProcess, ...] = (),
    ticking: int = 0,
) -> View:
    call = LongCall(2, 1, "step", seconds, still, waiter=waiter, usual=usual, ticking=ticking)
    return watched_view(Training((), 1, 0, 60.0, processes, instances=(_ARM,), long_calls=(call,)))


def _failed(pid: int, parent: int, kind: str = "ZeroDivisionError", at: float = 20.0) -> View:
    """A call that waits where a process, or a thread of its own, has raised."""
    error = Raised(kind, "float division", Location("/sim.py", 11, "simulate"), at=at)
    own, is_child = TrainingProcess(2, 1), pid != 2
    if is_child:
        return _example(41.0, 0.0, processes=(own, TrainingProcess(pid, parent, raised=error)))
    return _example(41.0, 40.0, processes=(replace(own, thread_raised=error),))


def _starved(call: str) -> View:
    """A vectorizer in threads that waits for more than it asked for, or not."""
    locks = [Wait(1, "", "futex", LOCK, "", (1,), True, main=main) for main in (True, False)]
    stacks = _STARVED.format(line=171, call=call)
    arms = replace(_ARM, pid=1, type="arms.Arms", reset=Calls(2, 1))
    calls = (LongCall(1, 1, "reset", 20.0, 20.0),)
    still = Standstill(20.0, tuple(locks), stacks)
    return watched_view(Training((), 1, instances=(arms,), long_calls=calls, standstill=still))


def _attached(still: tuple[int, ...]) -> View:
    processes = tuple(TrainingProcess(pid) for pid in (1, 2))
    kept = tuple(Still(pid, 58.0) for pid in still)
    return watched_view(Training((), 1, processes=processes, attached=True, still=kept))


EXAMPLES = (
    Example(
        "a socket without a limit",
        _example(41.0, 40.0),
        "step() of Arm did not come back for 41 s after 40 calls: nothing in its process"
        " ran for 40 s",
    ),
    Example(
        "two threads keep connections alive",
        _example(12.0, 11.0, ticking=2),
        "step() of Arm did not come back for 12 s after 40 calls: nothing in its process"
        " but 2 threads that only sleep and wake ran for 11 s",
    ),
    Example(
        "slow, or an endless loop",
        _example(41.0, 0.0),
        "step() of Arm did not come back for 41 s after 40 calls: it ran",
    ),
    Example(
        "the trainer waits for it",
        _example(41.0, 40.0, waiter=1),
        "step() of Arm did not come back for 41 s after 40 calls: nothing in its process"
        " ran for 40 s, and the trainer's waited",
    ),
    Example(
        "its threads have put all that they were asked for",
        _starved("get"),
        "reset() of Arms did not come back for 20 s after 1 call: nothing in its process"
        " ran for 20 s; the trainer waits in get() (train.py:49) for something in a queue"
        " that is empty, while 1 other thread of it waits in get() (train.py:42) for a lock"
        " of its own",
    ),
    Example(
        "its thread waits for something else",
        _starved("put"),
        "reset() of Arms did not come back for 20 s after 1 call: nothing in its process"
        " ran for 20 s",
    ),
    Example(
        "it looks again and again for an answer of a simulator that has failed",
        _failed(3, 2),
        "step() of Arm did not come back for 41 s after 40 calls: it ran; pid 3, which its"
        " process had started, had ended by ZeroDivisionError: float division (sim.py:11 in"
        " simulate)",
    ),
    Example(
        "its thread has failed",
        _failed(2, 1),
        "step() of Arm did not come back for 41 s after 40 calls: nothing in its process"
        " ran for 40 s; a thread of it had ended by ZeroDivisionError: float division"
        " (sim.py:11 in simulate)",
    ),
    Example(
        "another process has failed",
        _failed(3, 1),
        "step() of Arm did not come back for 41 s after 40 calls: it ran",
    ),
    Example(
        "Ctrl-C ended the simulator, too",
        _failed(3, 2, "KeyboardInterrupt"),
        "step() of Arm did not come back for 41 s after 40 calls: it ran",
    ),
    Example(
        "the simulator failed at the end, when its pipe was closed",
        _failed(3, 2, at=59.0),
        "step() of Arm did not come back for 41 s after 40 calls: it ran",
    ),
    Example("slow but working", _example(8.0, 0.0)),
    Example(
        "a process that was attached to",
        _attached(still=(1, 2)),
        "nothing in the training ran for 58 s",
    ),
    Example("one of two processes waits for the other", _attached(still=(1,))),
    Example(
        "it sleeps for long, but an earlier call that came back took more than half of it",
        _example(41.0, 40.0, usual=25.0),
        "step() of Arm did not come back for 41 s after 40 calls: nothing in its process"
        " ran for 40 s",
    ),
    Example("it sleeps, as in an earlier call that came back", _example(8.0, 8.0, usual=6.0)),
)
