"""An unraisable exception: in __del__(), in a thread, or while Python exits.

What it does
    Listens to what Python only prints: errors of finalizers and threads during an ordinary life,
    with and without a close(). At last it leaves an instance alive, as a script does that never
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

from envdoctor.model.events import Event
from envdoctor.model.finding import MEDIUM, Finding, Location
from envdoctor.model.remedy import Member
from envdoctor.model.trace import FINISHED, Trace
from envdoctor.rules.engine.examples import direct_view, raised, trace, verb
from envdoctor.rules.engine.registry import DIRECT_ONLY, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.exit_errors import ATEXIT, THREAD, Complaint, complaint_of, complaints
from envdoctor.rules.evidence.stacks import where_it_was

HEARD_IN = ("life", "abandoned", "exit")  # ordinary ways to use and to lose an instance
AT_EXIT = " while Python exits"
#: Codes that say nothing: the probe's own errors (an environment may have closed every descriptor),
#: and what was printed could not be written out.
SILENT = (0, 1, 120)

_LACKS = re.compile(r"^AttributeError: '(?P<kind>\w+)' object has no attribute '(?P<name>\w+)'")


@rule(
    "CLS017",
    "error-at-exit",
    severity="warning",
    where=DIRECT_ONLY,
    looks_at={"life": "make", "exit": "make reset step"},
    unjudged=lambda view: "" if last_words(view.trace("exit")) else "Python's exit was not seen",
)
def error_at_exit(view: View) -> Iterator[Finding]:
    told: set[Location] = set()
    for complaint, when in (*heard(view), *at_exit(view)):
        place = complaint.place(view)
        if place is not None and place not in told:
            told.add(place)
            yield report(view, complaint, when, place)
    crash = how_it_exited(view.trace("exit"))
    if crash:
        yield report_crash(view, crash)


def heard(view: View) -> Iterator[tuple[Complaint, str]]:
    """What the probe heard in ordinary lives."""
    for played in (view.trace(name) for name in HEARD_IN):
        for event in played.of("unheard") if played else ():
            yield complaint_of(event["what"], str(event.get("where") or ""), event["error"]), ""


def at_exit(view: View) -> Iterator[tuple[Complaint, str]]:
    """What Python printed when it exited with an instance alive."""
    for complaint in complaints(last_words(view.trace("exit")).get("stderr", "")):
        yield complaint, AT_EXIT


def last_words(played: Trace | None) -> Mapping[str, str]:
    """How the probe exited; empty when it did not, or had to be ended."""
    return (
        played.aftermath.get("exit") or {}
        if played is not None and played.outcome.kind == FINISHED
        else {}
    )


def how_it_exited(played: Trace | None) -> str:
    """`dies of SIGSEGV`, `ends with exit code 3`; nothing when it went well."""
    code = int(last_words(played).get("code") or 0)
    if code in SILENT:
        return ""
    if code > 0:
        return f"ends with exit code {code}"
    known = {int(number): number.name for number in signal.Signals}
    return f"dies of {known.get(-code, f'signal {-code}')}"


def report(view: View, complaint: Complaint, when: str, place: Location) -> Finding:
    """The finding of one complaint."""
    remedy, aim = cure(view, complaint)
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


def words_for(complaint: Complaint) -> str:
    """What raised, as the subject of a sentence."""
    if complaint.what == THREAD:
        return f"the thread {complaint.name}" if complaint.name else "a thread"
    if complaint.what == ATEXIT:
        return f"{complaint.name}(), which atexit calls," if complaint.name else "what atexit calls"
    return f"{complaint.name}()" if complaint.name else "a finalizer"


def cure(view: View, complaint: Complaint) -> tuple[str, Member | None]:
    """What to change, by what raised."""
    half_made = _LACKS.match(complaint.error)
    if complaint.what == THREAD:
        return (
            (
                f"end the thread in {view.class_name}.close() before what it uses goes away, and"
                " let it handle its own errors."
            ),
            None,
        )
    if half_made:
        kind, name = half_made["kind"], half_made["name"]
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


def report_crash(view: View, how: str) -> Finding:
    """The finding of an exit that went wrong."""
    ended = last_words(view.trace("exit"))
    return error_at_exit.finding(
        f"Python {how} when it exits with an instance of {view.class_name} that was not closed",
        "close it before the script ends (`with contextlib.closing(env):`), and let a"
        " weakref.finalize() do it for those who forget.",
        location=where_it_was(ended.get("stacks", ""), view) or view.locate("close"),
        confidence=MEDIUM,
        evidence={"stderr": ended.get("stderr"), "stacks": ended.get("stacks")},
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
    left = trace(verb("make"), verb("leave", at=3), name="exit", script="make reset step:3 leave")
    return Trace(
        left.scenario,
        left.outcome,
        left.events,
        {"exit": {"code": code, "stderr": stderr, "stacks": ""}},
    )


def _unheard(what: str, where: str, error: Mapping[str, object], name: str = "life") -> Trace:
    event: Event = {
        "event": "unheard",
        "t": 0.0,
        "pid": 1,
        "what": what,
        "where": where,
        "error": error,
    }
    return trace(event, name=name)


_HALF = raised(
    "builtins.AttributeError",
    "'Sick' object has no attribute '_log'",
    file="/home/me/sick.py",
    line=9,
)

EXAMPLES = (
    Example(
        "a name is gone at exit; the library's own error is not ours",
        direct_view(_exit(stderr=_STDERR)),
        (
            (
                "Sick.__del__() raises NameError: name 'open' is not defined while Python exits;"
                " the error is only printed"
            ),
        ),
    ),
    Example(
        "a half-made object, in two scenarios",
        direct_view(
            _unheard("finalizer", "Sick.__del__", _HALF),
            _unheard("finalizer", "Sick.__del__", _HALF, "abandoned"),
        ),
        (
            (
                "Sick.__del__() raises AttributeError: 'Sick' object has no attribute '_log'; the"
                " error is only printed"
            ),
        ),
    ),
    Example(
        "a thread",
        direct_view(
            _unheard(
                "thread",
                "reader",
                raised("builtins.OSError", "bad file descriptor", file="/home/me/sick.py"),
            )
        ),
        ("the thread reader raises OSError: bad file descriptor; the error is only printed",),
    ),
    Example(
        "a crash at exit",
        direct_view(_exit("-11")),
        ("Python dies of SIGSEGV when it exits with an instance of Sick that was not closed",),
    ),
    Example("it exits", direct_view(_exit(stderr="goodbye\n"))),
    Example(
        "an atexit function exits",
        direct_view(_exit("3")),
        (
            (
                "Python ends with exit code 3 when it exits with an instance of Sick that was not"
                " closed"
            ),
        ),
    ),
    Example(
        "the probe could not read on, or write",
        direct_view(*(_exit(code) for code in ("1", "120"))),
    ),
    Example(
        "a double close makes it complain",
        direct_view(_unheard("finalizer", "Sick.__del__", _HALF, "close-twice")),
    ),
)
