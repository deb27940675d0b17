"""The environment fails off the main thread, or returns something else there.

What it does
    Plays a life in a thread: make, reset, three steps and close. A result that differs from that of
    the same seed and the same actions in the main thread, seen twice, is a warning: nothing else
    shows it. A call that raises there, or does not come back, and goes well in the main thread, is
    a note. So is one that raises in another thread than the one that made the instance, or reset
    it: an instance that the main thread made is reset and stepped in one thread, and stepped and
    closed in another.

    Not judged where it fails in the main thread as well, where it does not repeat itself there, and
    where its calls are coroutines.

Why it matters
    Servers, agents and reward functions are called in pools of threads: asyncio.to_thread(),
    ThreadPoolExecutor, Gradio, Ray's threaded actors. A time limit by SIGALRM cannot be set there:
    where the error is caught, each answer counts as wrong, and the reward is 0 without a word. An
    object of sqlite3 refuses the second thread, and asyncio.get_event_loop() has no loop there.

How to fix it
    Limit the time without a signal, in a process that can be ended:

        answer = pool.submit(check, text).result(timeout=5)

    Make the loop, the connection or the client in the thread that uses it:

        self._loop = asyncio.new_event_loop()
        sqlite3.connect(path, check_same_thread=False)

    Or have one thread make all calls:

        pool = ThreadPoolExecutor(max_workers=1)
        observation, info = pool.submit(env.reset).result()
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import replace

from envdoctor.model.environment_aims import LimitInMainThread, OneThread
from envdoctor.model.errors import ErrorValue, Frame, kind_of, one_line, wire_of
from envdoctor.model.events import Event
from envdoctor.model.facts import InThread, SameSeed, as_json
from envdoctor.model.finding import ENVIRONMENT, NOTE, WARNING, Finding
from envdoctor.model.records import VerbRecord
from envdoctor.model.scenario import IN_THREAD
from envdoctor.model.trace import FINISHED, TIMED_OUT, Trace
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.examples import direct_view, fact, life_trace, raised, trace
from envdoctor.rules.engine.looked_at import why_left_out, why_unreached
from envdoctor.rules.engine.registry import DIRECT_ONLY, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.deaths import CALLS
from envdoctor.rules.evidence.stacks import where_it_was
from envdoctor.rules.wording.leftovers import place_of

MAIN = "main thread"
SIGNAL = "signal only works"  # as signal.signal() raises it
LIFE = "_life"  # the function of ours that plays one
_NUMBERS = re.compile(r"\d{6,}")  # of threads: other ones in the next run

CURES = {
    SIGNAL: "limit the time without a signal, in a process of its own that can be"
    " ended; leave handlers of signals to the script.",
    "event loop": "make a loop where the thread has none: asyncio.new_event_loop().",
    "SQLite objects": "open the connection in the thread that uses it, or with"
    " check_same_thread=False and a lock.",
}

_ONE_THREAD = (
    "make what {call} uses for each thread that calls it (threading.local()); or have one thread"
    " make all calls: ThreadPoolExecutor(max_workers=1)."
)


def not_compared(view: View) -> str:
    """Return why a life in a thread says nothing, or nothing."""
    run = next(iter(view.optional(IN_THREAD)[-1:]), None)
    if run is None:
        return why_left_out(view, IN_THREAD) or f"the scenario {IN_THREAD} was not played"
    comparison = run.fact(InThread)
    if comparison is not None:
        return comparison.skipped
    if run.outcome.kind != FINISHED or any(run.records(VerbRecord, state="raised")):
        return why_unreached(run)
    return "no life was played in a thread"


@rule(
    "VEC013",
    "fails-off-main-thread",
    severity=WARNING,
    where=DIRECT_ONLY,
    needs=("life", IN_THREAD),
    looks_at={"life": "make reset step"},
    unjudged=not_compared,
    blames_itself=True,
    gives_way=(Cause.SIGNAL_HANDLER,),
)
def fails_off_main_thread(view: View) -> Iterator[Finding]:
    for run in view.optional(IN_THREAD)[-1:]:
        comparison = run.fact(InThread)
        if run.outcome.kind == TIMED_OUT:
            yield from _hang(view, run)
        if comparison is None or comparison.skipped:
            continue
        if comparison.failed or comparison.bound:
            yield _failure(view, comparison)
        elif comparison.differs and _is_reproducible(view):
            yield _difference(view, comparison)


def _hang(view: View, run: Trace) -> Iterator[Finding]:
    """A note: it was not waited for in the main thread once more."""
    place = where_it_was(run.outcome.stacks, view, through=LIFE)
    if place is not None:
        yield fails_off_main_thread.finding(
            f"{place.function}() does not come back in another thread",
            "wait there for nothing that only the main thread does.",
            location=place,
            severity=NOTE,
            blame=ENVIRONMENT,
            key=("hang", place.function),
            evidence={"seconds": run.outcome.seconds, "stacks": run.outcome.stacks},
        )


def _failure(view: View, comparison: InThread) -> Finding:
    error, name = comparison.error, comparison.failed or comparison.bound
    text = _NUMBERS.sub("...", one_line(error))
    call = CALLS.get(name, f"{name}()")
    is_reset = comparison.reset_in_another_thread
    is_made = bool(comparison.bound) and not is_reset
    made = " of an instance that was made in the main thread" if is_made else ""
    where = "another thread, and goes well in the main one"
    if is_reset:
        where = "another thread than the one that reset the instance, and goes well in the same one"
    return fails_off_main_thread.finding(
        f"{call}{made} raises {text} in {where}",
        _ONE_THREAD.format(call=call) if is_reset else _cure(view, error, name),
        aim=OneThread() if is_reset or is_made else None,
        location=place_of(error) or view.locate(name),
        severity=NOTE,
        blame=ENVIRONMENT,
        key=(name, kind_of(error)),
        explained_by=(Cause.SIGNAL_HANDLER,) if SIGNAL in text else (),
        evidence={
            "call": name,
            "error": wire_of(error),
            "made_in_main_thread": is_made,
            **({"reset_in_another_thread": True} if is_reset else {}),
        },
    )


def _cure(view: View, error: ErrorValue | None, name: str) -> str:
    """Return what takes the place of that which needs the main thread."""
    if _says_so(error):
        return f"say so where {view.class_name} is documented: a pool of threads meets this error."
    text = one_line(error)
    cures = [cure for words, cure in CURES.items() if words in text]
    return (cures or [f"make what {name}() uses in the thread that calls it."])[0]


def _says_so(error: ErrorValue | None) -> bool:
    """True where a line of the environment's own raised an error that names the main thread."""
    if error is None or MAIN not in error.message.lower():
        return False
    frame = error.user_frame
    return bool(
        error.user is not None
        and error.user == len(error.frames) - 1
        and frame is not None
        and frame.text.lstrip().startswith("raise")
    )


def _difference(view: View, comparison: InThread) -> Finding:
    first, met = comparison.first, comparison.swallowed
    moment = f"step {first.step}" if first.call == "step" else "reset()"
    why = f": {met.error} is caught there" if met else ""
    return fails_off_main_thread.finding(
        f"the {first.key} of {moment} is {first.values[1]} in another thread, and"
        f" {first.values[0]} in the main thread with the same seed and actions{why}",
        "limit its time without a signal, and let errors of its own code reach the caller: catch"
        " only those that it expects. Where a limit is set in the main thread only, warn in the"
        " others that there is none.",
        aim=_aim(comparison),
        location=(met.place if met else None) or view.locate(first.call),
        blame=ENVIRONMENT,
        key=(first.call, first.key),
        evidence={
            "comparison": as_json(comparison.difference),
            "swallowed": met.error if met else None,
        },
    )


def _aim(comparison: InThread) -> LimitInMainThread | None:
    """Ask for the signal where that is possible."""
    met = comparison.swallowed
    place = met.place if met and SIGNAL in met.error else None
    return LimitInMainThread(Frame(place.file, place.line)) if place else None


def _is_reproducible(view: View) -> bool:
    """False where two instances differ in the main thread already."""
    life = view.trace("life")
    same = life.fact(SameSeed) if life else None
    return same is None or not same.differs


_ALARM = raised(
    "ValueError", "signal only works in main thread of the main interpreter", "env.py", 9, "step"
)
_OWN = raised("RuntimeError", "open this environment in the main thread", "env.py", 4, "reset")
_SQLITE = raised(
    "sqlite3.ProgrammingError", "SQLite objects created in a thread can only be used in it"
)
_REWARD = {
    "calls": 2,
    "difference": {
        "call": "step",
        "step": 1,
        "key": "reward",
        "what": "value",
        "values": ["1.0", "0.0"],
        "place": None,
    },
    "swallowed": {
        "error": "ValueError: signal only works in main thread of the main interpreter",
        "place": {"file": "env.py", "line": 9, "function": "step"},
    },
}


def _view(values: dict[str, object], *events: Event) -> View:
    view = direct_view(life_trace(before={}, held={}), *(trace(event) for event in events))
    run = trace(fact("in-thread", values), name=IN_THREAD, script="threaded:3")
    return View(view.subject, view.manager, None, view.traces, view.survey, optional_traces=(run,))


def _hung(stacks: str) -> View:
    stacks = textwrap.dedent(stacks)
    hung = trace(
        name=IN_THREAD, script="threaded:3", outcome=TIMED_OUT, verb="threaded:3", stacks=stacks
    )
    return replace(_view({}), optional_traces=(hung,))


EXAMPLES = (
    Example(
        "a time limit by a signal",
        _view({"calls": 1, "failed": "step", "error": _ALARM}),
        "step() raises ValueError: signal only works in main thread of the main interpreter"
        " in another thread, and goes well in the main one",
    ),
    Example(
        "the same, caught: each answer counts as wrong",
        _view(_REWARD),
        "the reward of step 1 is 0.0 in another thread, and 1.0 in the main thread with the"
        " same seed and actions: ValueError: signal only works in main thread of the main"
        " interpreter is caught there",
    ),
    Example(
        "a connection is opened in the constructor",
        _view({"calls": 4, "bound": "reset", "error": _SQLITE}),
        "reset() of an instance that was made in the main thread raises"
        " ProgrammingError: SQLite objects created in a thread can only be used in it"
        " in another thread, and goes well in the main one",
    ),
    Example(
        "a browser that the first reset() starts",
        _view(
            {
                "calls": 4,
                "bound": "step",
                "reset_elsewhere": True,
                "error": raised(
                    "greenlet.error", "Cannot switch to a different thread", "env.py", 9, "step"
                ),
            }
        ),
        "step() raises greenlet.error: Cannot switch to a different thread in another"
        " thread than the one that reset the instance, and goes well in the same one",
    ),
    Example(
        "it waits for what only the main thread does",
        _hung(
            """
            Thread 0x7 (most recent call first):
              File "/usr/lib/python3.11/threading.py", line 629 in wait
              File "env.py", line 4 in reset
              File "/run/bundle.pyz/envdoctor/probe/comparison/in_thread.py", line 9 in _life
            """
        ),
        "reset() does not come back in another thread",
    ),
    Example("it does not repeat itself", _view({"skipped": "it is not reproducible"})),
    Example("it returns the same", _view({"calls": 4, "difference": None})),
)
