"""An unraisable exception: in __del__(), in a thread, in a task, or while Python exits.

What it does
    Listens to what Python only prints: errors of finalizers, threads and tasks of asyncio (never
    retrieved) during an ordinary life, with and without a close(), and errors that end threads
    while more episodes are played. At last it leaves an instance alive, as a script does that never
    closes it, lets Python exit and reads what it says then, and how it ended. Only errors with a
    line of the environment's own are reported.

Why it matters
    What follows the failing line is not released. At exit the order is not yours: modules are
    taken apart while __del__() runs, so that a name that always worked is None or gone. And a
    process that crashes after the training is done reports failure to the program that started it.

How to fix it
    Let a finalizer need nothing but what it was given, and let it run before modules go:

        self._finalizer = weakref.finalize(self, Simulator.stop, self._simulator)

        def close(self):
            self._finalizer()

    A __del__() must also cope with an object whose constructor failed half way:

        _simulator = None       # in the class, so that every instance has it
"""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator, Mapping

from envdoctor.model.environment_aims import CloseAtExit, Member, Skip
from envdoctor.model.errors import ErrorValue, Frame
from envdoctor.model.events import Event
from envdoctor.model.finding import MEDIUM, NOTE, WARNING, Finding, Location
from envdoctor.model.records import UnraisableRecord
from envdoctor.model.remedy import Aim
from envdoctor.model.trace import LastWords, Trace
from envdoctor.rules.engine.examples import direct_view, raised, reading, trace, verb
from envdoctor.rules.engine.registry import DIRECT_ONLY, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.drawing_contexts import context_of, drawing_cost
from envdoctor.rules.evidence.exit_errors import (
    ATEXIT,
    FINALIZER,
    TASK,
    THREAD,
    Complaint,
    complaint_of,
    complaints,
)
from envdoctor.rules.evidence.stacks import where_it_was
from envdoctor.rules.wording.leftovers import its_close

HEARD_IN = ("life", "abandoned", "exit")  # ordinary ways to use and to lose an instance
PLAYED_IN = ("reuse", "episode", "beginnings")  # more episodes, in which no other thing is tried
AT_EXIT = " while Python exits"
IN_EPISODES = " while episodes are played"
#: Codes that say nothing: the probe's own errors (an environment may have closed every descriptor),
#: and what was printed could not be written out.
SILENT = (0, 1, 120)

_LACKS = re.compile(r"^AttributeError: '(?P<kind>\w+)' object has no attribute '(?P<name>\w+)'")


def unseen(view: View) -> str:
    """Return the reason why the exit is unknown, or nothing."""
    run = view.trace("exit")
    return "" if run and run.last_words else "Python's exit was not seen"


@rule(
    "CLS017",
    "error-at-exit",
    severity="warning",
    where=DIRECT_ONLY,
    looks_at={"life": "make", "exit": "make reset step"},
    unjudged=unseen,
)
def error_at_exit(view: View) -> Iterator[Finding]:
    locations: set[Location] = set()
    for complaint, when in (*heard(view), *in_threads(view), *at_exit(view)):
        place = complaint.place(view)
        drawn = when == AT_EXIT and context_of(complaint)
        if place is not None and place not in locations and not drawn:
            locations.add(place)
            yield report(view, complaint, when, place)
    yield from left_contexts(view)
    crash = how_it_exited(view.trace("exit"))
    if crash:
        yield report_crash(view, crash)


def heard(view: View) -> Iterator[tuple[Complaint, str]]:
    """Yield the complaints that the probe recorded in ordinary lives."""
    for run in (view.trace(name) for name in HEARD_IN):
        for event in run.records(UnraisableRecord) if run else ():
            if event.error is not None:
                yield complaint_of(event.what, event.where, event.error), ""


def in_threads(view: View) -> Iterator[tuple[Complaint, str]]:
    """Yield the errors that ended threads while more episodes were played, before any close()."""
    for run in (view.trace(name) for name in PLAYED_IN):
        closed = [event.index for event in run.verbs("close")] if run else []
        for event in run.records(UnraisableRecord, what=THREAD) if run else ():
            if event.error is not None and event.index < min(closed, default=event.index + 1):
                yield complaint_of(event.what, event.where, event.error), IN_EPISODES


def at_exit(view: View) -> Iterator[tuple[Complaint, str]]:
    """Yield the complaints that Python printed when it exited with an instance alive."""
    for complaint in complaints(last_words(view.trace("exit")).stderr or ""):
        yield complaint, AT_EXIT


def last_words(run: Trace | None) -> LastWords:
    """Return how the probe exited; empty if it did not, or had to be ended."""
    return (run.last_words if run else None) or LastWords()


def how_it_exited(run: Trace | None) -> str:
    """`dies of SIGSEGV`, `ends with exit code 3`; nothing when it went well."""
    code = last_words(run).code
    if code in SILENT:
        return ""
    if code > 0:
        return f"ends with exit code {code}"
    known = {int(number): number.name for number in signal.Signals}
    return f"dies of {known.get(-code, f'signal {-code}')}"


def report(view: View, complaint: Complaint, when: str, place: Location) -> Finding:
    """The finding of one complaint."""
    remedy, aim = cure(view, complaint)
    if when == IN_EPISODES:
        remedy = (
            f"keep the error in the thread, and raise it in the next call of {view.class_name}:"
            " reset(), step() and render() go on as if the thread still ran."
        )
    if aim is None and complaint.what == FINALIZER:
        aim = _closing(complaint, when)
    return error_at_exit.finding(
        f"{words_for(complaint)} raises {complaint.error}{when}; the error is only printed",
        remedy,
        aim=aim,
        location=place,
        key=(complaint.what, complaint.name, complaint.error.partition(":")[0]),
        evidence={
            "at": [
                {"file": frame.file, "line": frame.line, "function": frame.function}
                for frame in complaint.frames[-8:]
            ]
        },
    )


def _closing(complaint: Complaint, when: str) -> Aim:
    """Return what keeps a finalizer from raising: at the exit, it runs before modules go; else
    close() skips what is gone.
    """
    frames = tuple(Frame(each.file, each.line, each.function) for each in complaint.frames)
    kind, _, message = complaint.error.partition(": ")
    return CloseAtExit(frames) if when else Skip(ErrorValue(kind, message, frames))


def words_for(complaint: Complaint) -> str:
    """Name the source of a complaint, as the subject of a sentence."""
    if complaint.what == THREAD:
        return f"the thread {complaint.name}" if complaint.name else "a thread"
    if complaint.what == TASK:
        return f"the task {complaint.name}()"
    if complaint.what == ATEXIT:
        return f"{complaint.name}(), which atexit calls," if complaint.name else "what atexit calls"
    return f"{complaint.name}()" if complaint.name else "a finalizer"


def cure(view: View, complaint: Complaint) -> tuple[str, Aim | None]:
    """Return the remedy for the source of a complaint."""
    lacks = _LACKS.match(complaint.error)
    finalized = complaint.name.removesuffix(".__del__").rpartition(".")[2]
    if complaint.what == THREAD:
        return (
            (
                f"end the thread in {view.class_name}.close() before what it uses goes away, and"
                " let it handle its own errors."
            ),
            None,
        )
    if complaint.what == TASK:
        name = complaint.name.rpartition(".")[2]
        return (
            (
                f"let {name}() handle its own errors, or keep the task and await it in"
                f" {view.class_name}.close()."
            ),
            None,
        )
    if lacks and lacks.group("kind") in (finalized, view.class_name):  # else what it uses
        kind, name = lacks.groups()
        return (
            (
                f"give {kind} the attribute before its constructor can fail: the finalizer runs for"
                " a half-made object, too."
            ),
            Member(kind, (f"{name} = None  # also of an instance whose constructor failed",)),
        )
    text = (
        f"register what {view.class_name} has to give back with weakref.finalize(), which runs"
        " while modules are still whole"
    )
    return f"{text} ({releasing(complaint)}, without self), and have close() call it.", None


def releasing(complaint: Complaint) -> str:
    """The function that the finalizer called, where it is one that could be registered instead."""
    functions = [frame.function for frame in complaint.frames]
    after = functions[functions.index("__del__") + 1 :] if "__del__" in functions else []
    return (
        after[0]
        if after and after[0] not in ("close", "__del__") and after[0].isidentifier()
        else "release"
    )


def left_contexts(view: View) -> Iterator[Finding]:
    """One finding for each drawing context that was open at the exit: a note where only its own
    library complains.
    """
    result = [complaint for complaint, _ in at_exit(view) if context_of(complaint)]
    cost = drawing_cost(view)
    memory = f"; each open instance takes {cost} of native memory" if cost else ""
    reported: set[str] = set()
    for complaint in sorted(result, key=lambda complaint: complaint.place(view) is None):
        context, place = context_of(complaint), complaint.place(view)
        if context in reported:
            continue
        reported.add(context)
        yield error_at_exit.finding(
            f"{words_for(complaint)} raises {kind_of(complaint)}{AT_EXIT}: {context} was still"
            f" open{memory}",
            f"Free the renderer in {its_close(view)}. Call close() before the script ends.",
            location=place or view.locate("close"),
            severity=WARNING if place else NOTE,
            key=(complaint.what, *context.split()[1::3]),
            evidence={"context": context, "taken": cost},
        )


def kind_of(complaint: Complaint) -> str:
    """`EGLError`: these errors cannot say more at the exit."""
    return complaint.error.partition(":")[0].rpartition(".")[2]


def report_crash(view: View, how: str) -> Finding:
    """The finding of an exit that went wrong."""
    ended = last_words(view.trace("exit"))
    place = where_it_was(ended.stacks or "", view)
    return error_at_exit.finding(
        f"Python {how} when it exits with an instance of {view.class_name} that was not closed",
        "close it before the script ends (`with contextlib.closing(env):`), and let a"
        " weakref.finalize() do it for those who forget.",
        aim=CloseAtExit((Frame(place.file, place.line, place.function),)) if place else None,
        location=place or view.locate("close"),
        confidence=MEDIUM,
        evidence={"stderr": ended.stderr, "stacks": ended.stacks},
    )


_STDERR = """some library: goodbye
Exception ignored in: <function Sick.__del__ at 0x7f3a>
Traceback (most recent call last):
  File "/home/me/sick.py", line 12, in __del__
    self.close()
  File "/home/me/sick.py", line 9, in close
    json.dump(self.log, open("log", "w"))
                        ^^^^
NameError: name 'open' is not defined
Exception ignored in: <function Socket.__del__ at 0x7f3b>
Traceback (most recent call last):
  File "/lib/python3.11/site-packages/wire/socket.py", line 3, in __del__
TypeError: 'NoneType' object is not callable
"""


def _exit(code: str = "0", stderr: str = "") -> Trace:
    left = trace(
        verb("make"), verb("leave", at=3), name="exit", script="make reset step:3 render leave"
    )
    return Trace(
        left.scenario,
        left.outcome,
        left.events,
        {"exit": {"code": code, "stderr": stderr, "stacks": ""}},
    )


def _unraisable(
    what: str, where: str, error: Mapping[str, object], name: str = "life", closed: bool = False
) -> Trace:
    event: Event = {
        "event": "unraisable",
        "t": 0.0,
        "pid": 1,
        "what": what,
        "where": where,
        "error": error,
    }
    return trace(*([verb("close", at=2)] if closed else []), event, name=name)


_CONTEXT = """Exception ignored in: <function GLContext.__del__ at 0x7fc1>
Traceback (most recent call last):
  File "/lib/python3.11/site-packages/mujoco/egl/__init__.py", line 138, in __del__
  File "/lib/python3.11/site-packages/OpenGL/error.py", line 230, in glCheckError
OpenGL.raw.EGL._errors.EGLError: <exception str() failed>
"""
_OF_ITS_OWN = _CONTEXT.replace("GLContext", "Viewer").replace(
    "(most recent call last):\n",
    '(most recent call last):\n  File "/home/me/sick.py", line 9, in __del__\n',
)
_DRAWN = trace(
    reading("before", {"native-heap": 2**20}),
    reading("rendered", {"native-heap": 109 * 2**20}),
    reading("held", {"native-heap": 2**20}),
)

_HALF = raised(
    "builtins.AttributeError",
    "'Sick' object has no attribute '_log'",
    file="/home/me/sick.py",
    line=9,
)

_COLORS = raised("builtins.IndexError", "tuple index out of range", file="/home/me/sick.py")

EXAMPLES = (
    Example(
        "a name is gone at exit; the library's own error is not ours",
        direct_view(_exit(stderr=_STDERR)),
        "Sick.__del__() raises NameError: name 'open' is not defined while Python exits;"
        " the error is only printed",
    ),
    Example(
        "a renderer that was not closed, two complaints",
        direct_view(_DRAWN, _exit(stderr=_CONTEXT * 2)),
        "GLContext.__del__() raises EGLError while Python exits: the EGL context of mujoco"
        " was still open; each open instance takes 108.0 MiB of native memory",
    ),
    Example(
        "the environment's own viewer fails on it",
        direct_view(_exit(stderr=_CONTEXT + _OF_ITS_OWN)),
        "Viewer.__del__() raises EGLError while Python exits: the EGL context of mujoco was"
        " still open",
    ),
    Example(
        "a half-made object, in two scenarios",
        direct_view(
            _unraisable("finalizer", "Sick.__del__", _HALF),
            _unraisable("finalizer", "Sick.__del__", _HALF, "abandoned"),
        ),
        "Sick.__del__() raises AttributeError: 'Sick' object has no attribute '_log'; the"
        " error is only printed",
    ),
    Example(
        "a thread",
        direct_view(
            _unraisable(
                "thread",
                "reader",
                raised("builtins.OSError", "bad file descriptor", file="/home/me/sick.py"),
            )
        ),
        "the thread reader raises OSError: bad file descriptor; the error is only printed",
    ),
    Example(
        "a thread ends in an episode, and nothing else says so",
        direct_view(_unraisable("thread", "viewer", _COLORS, "beginnings")),
        "the thread viewer raises IndexError: tuple index out of range while episodes are"
        " played; the error is only printed",
    ),
    Example(
        "a thread ends once the instance was closed: what comes after is not told from here",
        direct_view(_unraisable("thread", "viewer", _COLORS, "beginnings", closed=True)),
    ),
    Example(
        "a crash at exit",
        direct_view(_exit("-11")),
        "Python dies of SIGSEGV when it exits with an instance of Sick that was not closed",
    ),
    Example("it exits", direct_view(_exit(stderr="goodbye\n"))),
    Example(
        "an atexit function exits",
        direct_view(_exit("3")),
        "Python ends with exit code 3 when it exits with an instance of Sick that was not closed",
    ),
    Example(
        "the probe could not read on, or write",
        direct_view(*(_exit(code) for code in ("1", "120"))),
    ),
    Example(
        "a double close makes it complain",
        direct_view(_unraisable("finalizer", "Sick.__del__", _HALF, "close-twice")),
    ),
)
