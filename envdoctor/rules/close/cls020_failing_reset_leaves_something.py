"""A reset() that fails leaves what it took.

What it does
    Where the plain life shows that reset() takes something that stays (a process, a thread, a port,
    a descriptor, a temporary file, shared memory), new instances are made whose first reset()
    fails: of what it asks the system for, the last thing is denied, with the error that a full
    machine gives (no more files, processes or threads, a connection that is refused). Then the
    instance is closed, or only given up, and what is left is counted. What the constructor took is
    not counted where the instance was not closed, nor what is left where reset() goes well.

    A note, because the failure is ours. It is a warning where a reset() of the environment failed
    by itself while it was examined, unless close() would have given all of it back, or only
    descriptors are left: a library may have opened them. Who wants to know in any case raises it
    in pyproject.toml:

        [tool.envdoctor.severity]
        CLS020 = "warning"

    Not judged where reset() takes nothing before that, where it goes on without it, and where
    nothing that Python can see is asked for: then it could not be made to fail.

Why it matters
    A first reset() fails in practice: a port is taken, a display is missing, a simulator does not
    answer in time. Who gets that error tries again, or makes a new instance, and few call close()
    on what never worked. Each attempt leaves one more simulator, until the machine is full, too.

How to fix it
    Let a reset() that fails give back what it has taken, and make close() safe for what is only
    half there:

        def reset(self, *, seed=None, options=None):
            super().reset(seed=seed)
            try:
                self._process = subprocess.Popen(COMMAND)
                self._log = open(self._log_path, "w")
            except BaseException:
                self.close()
                raise
            return self._observe(), {}
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.environment_aims import StoreAtOnce
from envdoctor.model.errors import kind_of, one_line, wire_of
from envdoctor.model.events import Event
from envdoctor.model.facts import Denied
from envdoctor.model.finding import ENVIRONMENT, NOTE, WARNING, Finding
from envdoctor.model.records import VerbRecord
from envdoctor.model.scenario import FAILING_RESET
from envdoctor.model.trace import FINISHED, Trace
from envdoctor.rules.engine.examples import (
    direct_view,
    fact,
    life_trace,
    raised,
    reading,
    trace,
    verb,
)
from envdoctor.rules.engine.looked_at import why_left_out, why_unreached
from envdoctor.rules.engine.measures import left_open
from envdoctor.rules.engine.registry import DIRECT_ONLY, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.failing_resets import (
    KINDS,
    Left,
    acquired_by_reset,
    failed,
    fails_by_itself,
)
from envdoctor.rules.wording.leftovers import count, listing, place_of


def not_made_to_fail(view: View) -> str:
    """Return the reason why no reset() failed that had acquired something before, or nothing."""
    life = view.trace("life")
    acquired = acquired_by_reset(life) if life is not None else {}
    if not acquired:
        return ""
    traces = view.optional(FAILING_RESET)
    if not traces:
        return why_left_out(view, FAILING_RESET) or f"the scenario {FAILING_RESET} was not played"
    if failed(view, closed=True) and failed(view, closed=False):
        return _why_too_early(traces[-1], acquired)
    return _why_not_failed(traces[-1])


def _why_too_early(run: Trace, kept: Left) -> str:
    acquired = {
        sensor for denied in run.facts(Denied) if denied.has_failed for sensor in denied.acquired
    }
    return (
        ""
        if acquired & kept.keys()
        else "reset() was made to fail before it had taken any of the things that it keeps"
    )


def _why_not_failed(run: Trace) -> str:
    if run.outcome.kind != FINISHED or any(run.records(VerbRecord, state="raised")):
        return why_unreached(run)
    texts = run.facts(Denied)
    if not any(denied.asked for denied in texts):
        return "reset() could not be made to fail: it asks the system for nothing that Python sees"
    if any(denied.error for denied in texts):
        return "reset() could not be made to fail in each life"
    return "reset() could not be made to fail: it goes well without the last thing that it asks for"


@rule(
    "CLS020",
    "failing-reset-leaves-something",
    severity=NOTE,
    where=DIRECT_ONLY,
    needs=("life", FAILING_RESET),
    looks_at={"life": "make reset"},
    unjudged=not_made_to_fail,
    counts=left_open("things"),
    blames_itself=True,
)
def failing_reset_leaves_something(view: View) -> Iterator[Finding]:
    closed, given_up = failed(view, closed=True), failed(view, closed=False)
    yield from _close_raises(view)
    if closed and closed[1]:
        yield _left(view, *closed, "leaves {} after close()", _severity(view, closed[1]), "closed")
    elif given_up and given_up[1]:
        only_close = " until close() is called" if closed else ""
        severity = NOTE if closed else _severity(view, given_up[1])
        words = f"leaves {{}} where the instance is given up{only_close}"
        yield _left(view, *given_up, words, severity, "given up")


def _severity(view: View, left: Left) -> str:
    return NOTE if left.keys() <= {"descriptors"} or not fails_by_itself(view) else WARNING


def _left(view: View, denied: Denied, left: Left, words: str, severity: str, how: str) -> Finding:
    counts = [count(items, *KINDS[kind]) for kind, items in left.items()]
    texts = [text for items in left.values() for text in items.values()]
    what = " and ".join((", ".join(counts[:-1]), counts[-1])) if counts[1:] else counts[0]
    return failing_reset_leaves_something.finding(
        f"a reset() that fails ({one_line(denied.error)}) {words.format(what)}: {listing(texts)}",
        f"catch errors in {view.class_name}.reset(), give back there what it has taken, and raise"
        " the error again.",
        aim=StoreAtOnce(denied.error) if denied.error else None,
        location=place_of(denied.error) or view.locate("reset"),
        severity=severity,
        blame=ENVIRONMENT,
        key=(how,),
        evidence={
            "held": {key: text for items in left.values() for key, text in items.items()},
            "kinds": sorted(left),
            "denied": denied.what,
            "error": wire_of(denied.error),
        },
    )


def _close_raises(view: View) -> Iterator[Finding]:
    """close() after a reset() that failed. One that raises after each reset() is another matter."""
    life = view.trace("life")
    if life is None or life.verbs("close", "raised") or not failed(view, closed=True):
        return
    run = view.optional(FAILING_RESET)[-1]
    first = min((event.at for event in run.verbs("deny")), default=0)
    for event in run.verbs("close", "raised"):
        if event.at > first:
            yield failing_reset_leaves_something.finding(
                f"close() after a reset() that failed raises {one_line(event.error)}",
                f"make {view.class_name}.close() safe for what reset() has not taken yet.",
                location=place_of(event.error) or view.locate("close"),
                severity=WARNING if fails_by_itself(view) else NOTE,
                blame=ENVIRONMENT,
                key=("close", kind_of(event.error)),
                evidence={"error": wire_of(event.error)},
            )


NOTHING: dict[str, dict[str, str]] = {"processes": {}}
SIMULATOR: dict[str, dict[str, str]] = {"processes": {"7": "simulator"}}
FULL = raised("OSError", "[Errno 24] Too many open files", function="reset")


def _plain() -> Trace:
    return life_trace(before=NOTHING, made=NOTHING, reset=SIMULATOR, held=NOTHING)


def _denied(life: int, **values: object) -> Event:
    return fact(
        "denied",
        {"life": life, "asked": 2, "taken": ["processes"], "what": "open", "error": FULL, **values},
    )


def _failing(
    closed: dict[str, dict[str, str]],
    given_up: dict[str, dict[str, str]],
    close: str = "ended",
    **values: object,
) -> View:
    """Of one whose reset() fails: what is left of a life that was closed, and of one that was
    not.
    """
    words = ("make", "count", "close", "drop", "make", "deny", "close", "drop", "make", "deny")
    events = [
        *(reading(point, NOTHING) for point in ("before", "made", "held", "collected")),
        *(reading(point, NOTHING, 1) for point in ("before", "made")),
        _denied(1, **values),
        reading("held", closed, 1),
        reading("collected", closed, 1),
        *(reading(point, NOTHING, 2) for point in ("before", "made")),
        _denied(2, **values),
        reading("collected", given_up, 2),
        *(
            verb(word, state, at, **({"error": FULL} if state == "raised" else {}))
            for at, word in enumerate(words)
            for state in ("began", close if at == 6 else "ended")
        ),
    ]
    view = direct_view(_plain())
    return View(
        view.subject,
        view.manager,
        None,
        view.traces,
        view.survey,
        optional_traces=(trace(*events, name=FAILING_RESET),),
    )


FAILS = "a reset() that fails (OSError: [Errno 24] Too many open files) leaves 1 process"

EXAMPLES = (
    Example(
        "close() forgets the simulator that was never asked",
        _failing(SIMULATOR, SIMULATOR),
        f"{FAILS} after close(): simulator",
    ),
    Example(
        "only close() ends the simulator",
        _failing(NOTHING, SIMULATOR),
        f"{FAILS} where the instance is given up until close() is called: simulator",
    ),
    Example(
        "close() counts on what reset() did not get to",
        _failing(NOTHING, NOTHING, close="raised"),
        "close() after a reset() that failed raises OSError: [Errno 24] Too many open files",
    ),
    Example("it ends the simulator, and raises again", _failing(NOTHING, NOTHING)),
    Example("it goes well without", _failing(SIMULATOR, SIMULATOR, error=None)),
    Example("reset() takes nothing", direct_view(life_trace(before=NOTHING, reset=NOTHING))),
)
