"""An exception of a training that Python only prints.

What it does
    Listens, in each process of a watched training, to the exceptions that nothing can catch: those
    of handlers of atexit, while Python exits, and those of `__del__`. Only those with a line of
    your code are reported, once for each line. That is followed while the interpreter takes itself
    apart, too, until its modules are gone. So are those of asyncio's tasks whose result nothing
    retrieved, also where no environment is known, and where all of their lines are a library's.

Why it matters
    Python prints it and goes on, and the exit code is still 0. What follows the failing line is not
    released: a connection is not closed, a file is not written, a process goes on.

How to fix it
    Release it before the script ends, while all that it needs is still there:

        env = Arm()
        try:
            train(env)
        finally:
            env.close()
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.environment_aims import CloseAtExit
from envdoctor.model.errors import Frame
from envdoctor.model.finding import NOTE, UNKNOWN, Finding, Location
from envdoctor.model.remedy import Aim
from envdoctor.model.training import Training, TrainingProcess
from envdoctor.model.training_aims import EnterContext
from envdoctor.model.training_instances import Raised
from envdoctor.rules.engine.registry import WHERE_WATCHED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.hangs import short
from envdoctor.rules.evidence.training import nothing_made, of, training_of, watched_view
from envdoctor.rules.remedies.aims import end_once

# As the probe names them.
ATEXIT, FINALIZER, LATE, TASK = "atexit", "__del__", "__del__ at exit", "task"
CLOSED = "Event loop is closed"
AT_EXIT = (
    "release it where the script ends, in a finally or a with: what it needs, such as an event"
    " loop, may be gone when handlers of atexit are called."
)
AT_END = (
    "call close() before the script ends, or in a handler of atexit that is registered after what"
    " it needs was opened: handlers run in reverse order, and what a module holds is freed after"
    " them all."
)
IN_FINALIZER = (
    "release it in close(), and let __del__() cope with an object whose constructor failed half"
    " way, and with modules that are gone."
)

IN_TASK = (
    "await the task, or keep it and read its result: its event loop only prints what it raises,"
    " when the task is freed."
)
IN_CLOSED_LOOP = (
    "close it in the event loop that it was used in, before asyncio.run() returns: by `async with`,"
    " or in a finally. Its connections belong to that loop, and what is left to the garbage"
    " collector, or used again, meets another one."
)

#: Where it was raised, and the cure.
MOMENTS = {
    ATEXIT: ("in a handler of atexit", AT_EXIT),
    FINALIZER: ("in __del__()", IN_FINALIZER),
    LATE: ("in __del__() while Python exits", AT_END),
}


def _nothing_known(view: View) -> str:
    is_known = any(process.ignored for process in training_of(view).processes)
    return "" if is_known else nothing_made(view)


@rule(
    "TRN018",
    "exception-ignored",
    severity=NOTE,
    where=WHERE_WATCHED,
    needs=("watch",),
    blames_itself=True,
    unjudged=_nothing_known,
)
def exception_ignored(view: View) -> Iterator[Finding]:
    processes: dict[Location | None, list[int]] = {}
    first: dict[Location | None, Raised] = {}
    for process in training_of(view).processes:
        for error in process.ignored:
            processes.setdefault(error.location, []).append(process.pid)
            first.setdefault(error.location, error)
    for location, error in first.items():
        pids = processes[location]
        where, cure = _moment(error)
        also = f", in {of(len(pids), 'process', 'processes')}" if len(pids) > 1 else ""
        yield exception_ignored.finding(
            f"Python only printed {error.sentence}{_from(error)}, raised {where}{also}",
            cure,
            aim=_aim(error),
            location=location,
            key=(error.type, error.method),
            blame=UNKNOWN,
            evidence={"processes": pids},
        )


def _aim(error: Raised) -> Aim | None:
    """End it before the script ends: what a handler of atexit does, or what a module still has; or
    where its event loop is: what a task was to close in another one.
    """
    place = error.location
    if error.method == TASK and CLOSED in error.message:
        return EnterContext(error.unfollowed.split(".")[-2]) if "." in error.unfollowed else None
    if place is None or error.method not in (ATEXIT, LATE):
        return None
    if error.method == ATEXIT:
        return end_once(place, "exit", place.function)
    return CloseAtExit((Frame(place.file, place.line),))


def _moment(error: Raised) -> tuple[str, str]:
    """Return where it was raised, and the cure."""
    if error.method != TASK:
        return MOMENTS.get(error.method, MOMENTS[FINALIZER])
    cure = IN_CLOSED_LOOP if CLOSED in error.message else IN_TASK
    return f"in a task of {error.unfollowed}(), whose result nothing retrieved", cure


def _from(error: Raised) -> str:
    """`, from train.py:46 in free`, where another line of the user's raised it."""
    origin = error.origin
    if origin is None or origin == error.location:
        return ""
    return f", from {short(origin.file)}:{origin.line} in {origin.function}"


_CLOSED_LOOP = Raised(
    "RuntimeError", "no event loop", Location("/train.py", 63, "shut"), method=ATEXIT
)
_HALF_MADE = Raised("AttributeError", "'Arm'", Location("/arm.py", 30, "__del__"), method=FINALIZER)

_FREED_LATE = Raised(
    "EGLError",
    "no display",
    Location("/arm.py", 51, "__del__"),
    method=LATE,
    origin=Location("/arm.py", 46, "free"),
)

_LEFT = Raised(
    "RuntimeError",
    CLOSED,
    Location("/client.py", 35, "aclose"),
    method=TASK,
    unfollowed="Client.aclose",
)


def _training(*errors: Raised) -> View:
    trainer, worker = TrainingProcess(1, ignored=errors), TrainingProcess(2, 1, ignored=errors[:1])
    return watched_view(Training((), processes=(trainer, worker)))


EXAMPLES = (
    Example(
        "a client is closed at the exit, in another event loop",
        _training(_CLOSED_LOOP, _HALF_MADE),
        (
            (
                "Python only printed RuntimeError: no event loop (train.py:63 in shut), raised in a"
                " handler of atexit, in 2 processes"
            ),
            (
                "Python only printed AttributeError: 'Arm' (arm.py:30 in __del__), raised in"
                " __del__()"
            ),
        ),
    ),
    Example(
        "a module keeps a renderer",
        _training(_FREED_LATE),
        "Python only printed EGLError: no display (arm.py:51 in __del__), from arm.py:46 in"
        " free, raised in __del__() while Python exits, in 2 processes",
    ),
    Example(
        "a client is left to the garbage collector, in a script without an environment",
        watched_view(Training((), processes=(TrainingProcess(1, ignored=(_LEFT,)),))),
        "Python only printed RuntimeError: Event loop is closed (client.py:35 in aclose),"
        " raised in a task of Client.aclose(), whose result nothing retrieved",
    ),
    Example("nothing is printed", _training()),
)
