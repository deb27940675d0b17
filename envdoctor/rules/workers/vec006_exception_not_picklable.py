"""An error of the environment does not reach the parent of this manager.

What it does
    Sends every error that an environment raised through pickle and back, wherever it was raised. Of
    the exception classes that the environment's own package defines and raises by name, it tries an
    instance built with placeholders; if that does not arrive, a worker of the manager is made to
    raise one, to see what its parent gets.

Why it matters
    A manager with workers sends their errors to the parent as pickles. In Gymnasium's
    AsyncVectorEnv one that cannot be pickled is dropped by the queue's own thread, and the parent
    waits for it for ever. One that cannot be unpickled, because its constructor wants other
    arguments than it handed on, ends as a TypeError about a missing argument: the real error is
    lost. DI-engine's workers build it of its text before they send it; where that fails, the worker
    ends, and the parent sees an EOFError.

How to fix it
    Say how it is built again. Give what follows the first argument a default: AsyncVectorEnv builds
    it of one argument.

        class SimulatorError(RuntimeError):
            def __init__(self, code, where=""):
                super().__init__(f"{where}: error {code}")
                self.code, self.where = code, where

            def __reduce__(self):
                return type(self), (self.code, self.where)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from envdoctor.frameworks import vectorizer_of
from envdoctor.model.environment_aims import Member
from envdoctor.model.errors import one_line
from envdoctor.model.facts import Fate, LostException, LostExceptions
from envdoctor.model.facts.decoding import decoded
from envdoctor.model.finding import ENVIRONMENT, MANAGER, NOTE, WARNING, Finding, Location
from envdoctor.model.records import InstanceRecord
from envdoctor.model.trace import Trace
from envdoctor.rules.engine.examples import fact, instance, known, raised, trace, verb
from envdoctor.rules.engine.registry import VECTOR_ONLY, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.payloads import sent_by

# What AsyncVectorEnv sends; a constructor's error it does not.
RAISED_INSIDE = ("reset-raised", "step-raised")
REBUILT = "rebuilt"


def _untried(view: View) -> str:
    """Return the reason why the errors that its package raises were not tried, or nothing."""
    if view.manager not in view.survey.managers:
        return "it is not known what this manager sends"
    if not any(run.fact(LostExceptions) is not None for run in view.direct.traces):
        return "the errors that its package raises were not sent through pickle"
    return ""


@rule(
    "VEC006",
    "exception-not-picklable",
    severity=WARNING,
    where=VECTOR_ONLY,
    needs=("life",),
    blames_itself=True,
    looks_at={"life": "make"},
    unjudged=_untried,
    follow_ups=("lost-error",),
)
def exception_not_picklable(view: View) -> Iterator[Finding]:
    if "exception" not in sent_by(view, view.manager):
        return
    for name, lost in lost_errors(view).items():
        step, problem = lost_in(view.manager, lost)
        if not problem:
            continue
        yield exception_not_picklable.finding(
            f"{short(name)}, raised in a worker, {fate(view.manager, step, problem)}",
            cure(short(name), step, lost),
            aim=aim_of(short(name), step, lost),
            location=Location(lost.file, lost.line) if lost.file else None,
            evidence={
                "class": short(name),
                "tried": tried(view),
                **{key: lost.wire.get(key) for key in ("type", "relay", "text", "seen")},
            },
            **whose(lost),
        )


def lost_in(manager: str, lost: LostException) -> tuple[str, str]:
    """At which step it is lost in a manager, and why; nothing where it arrives."""
    known = vectorizer_of(manager)
    if known.builds_errors_in_worker:
        return REBUILT, lost.rebuilt
    step, problem = next(iter(lost.relay.items()))
    return step, "" if step == "again" and not known.rebuilds_errors else problem


def whose(lost: LostException) -> dict[str, Any]:
    """Severity and blame: an exception that survives pickle is lost by its manager alone."""
    by_manager = next(iter(lost.relay)) == "again"
    return {
        "severity": NOTE if by_manager else WARNING,
        "blame": MANAGER if by_manager else ENVIRONMENT,
    }


def lost_errors(view: View) -> dict[str, LostException]:
    """{class: what is known of it} of the errors that do not arrive: those that were raised
    anywhere, then those that its package would raise.
    """
    result: dict[str, LostException] = {}
    traces = (*view.traces, *view.direct.traces)
    for error in (
        event.error
        for item in traces
        for event in item.records(InstanceRecord)
        if event.what in RAISED_INSIDE
    ):
        if error and error.relay:
            frame = error.user_frame
            result.setdefault(
                error.type,
                decoded(
                    LostException,
                    {
                        **error.wire,
                        **(
                            {"file": frame.file, "line": frame.line, "text": frame.text}
                            if frame
                            else {}
                        ),
                        "seen": True,
                    },
                ),
            )
    for lost_exceptions in filter(None, (item.fact(LostExceptions) for item in traces)):
        for lost in lost_exceptions.exceptions:
            result.setdefault(lost.type, lost)
    return result


def short(name: str) -> str:
    """`GripperError` of `arm.errors.GripperError`."""
    return name.rsplit(".", 1)[-1]


def fate(manager: str, step: str, problem: str) -> str:
    """Say how the manager loses the error."""
    if step == REBUILT:
        return (
            f"is lost in {manager}: its worker cannot build it of its text and ends, so that the"
            f" parent raises EOFError ({problem})"
        )
    if step == "dumps":
        return f"never reaches the parent, which waits for it in {manager} for ever: {problem}"
    return f"is lost in {manager}; its parent raises {problem}"


def tried(view: View) -> str:
    """Say how a worker's error of this class arrived when it was tried."""
    run = view.trace("lost-error")
    fate = run.fact(Fate) if run else None
    if fate and fate.hangs:
        return f"raised in its workers, and the parent still waited {fate.seconds:.0f} s later"
    return (
        f"raised in its workers, and the parent got {one_line(fate.error)}"
        if fate and fate.error
        else ""
    )


def cure(name: str, step: str, lost: LostException) -> str:
    """Return the remedy for the class."""
    if step == "again" or (step == REBUILT and len(lost.required) > 1):
        who = "the parent" if step == "again" else "the worker"
        return (
            f"give what follows the first argument of {name}() a default: {who} builds it of one"
            " argument."
        )
    broken = ", ".join(lost.broken)
    return f"say in {name} how it is built again{f', without {broken}' if broken else ''}."


def aim_of(name: str, step: str, lost: LostException) -> Member | None:
    """Return the method by which pickle builds it again, if a method suffices."""
    parameters, required = lost.parameters, lost.required
    if step == "again" or not parameters or (step == REBUILT and len(required) > 1):
        return None
    if not lost.kept:
        return None
    listed = ", ".join(f"self.{parameter}" for parameter in parameters)
    comma = "," if len(parameters) == 1 else ""
    return Member(name, ("def __reduce__(self):", f"    return type(self), ({listed}{comma})"))


def _defined(**known: object) -> Trace:
    values = {
        "type": "sick.Jammed",
        "file": "sick.py",
        "line": 8,
        "text": "raise Jammed(1, 'left')",
        "parameters": ["code", "where"],
        "required": ["code", "where"],
        "kept": True,
        "broken": [],
        **known,
    }
    return trace(verb("carry"), fact("exceptions", [values]), name="close-twice")


def _view(
    *direct: Trace, manager: str = "gymnasium-async", sends: tuple[str, ...] = ("exception",)
) -> View:
    survey = known({"managers": {manager: {"sends": sends}}})
    return View("Sick-v0", manager, "fork", (trace(verb("make")),), survey, other_places=direct)


_LOCKED = "TypeError: cannot pickle '_thread.lock' object"
_MISSING = "TypeError: Jammed.__init__() missing 1 required positional argument: 'where'"
_STEP = instance(
    "step-raised",
    error={
        **raised("sick.Jammed", "1 at left"),
        "relay": {"again": _MISSING},
        "required": ["code", "where"],
    },
)

EXAMPLES = (
    Example(
        "it has a lock",
        _view(_defined(relay={"dumps": _LOCKED})),
        "Jammed, raised in a worker, never reaches the parent, which waits for it in"
        f" gymnasium-async for ever: {_LOCKED}",
    ),
    Example(
        "it has two arguments and hands on one",
        _view(_defined(relay={"loads": _MISSING})),
        f"Jammed, raised in a worker, is lost in gymnasium-async; its parent raises {_MISSING}",
    ),
    Example(
        "one that was raised arrives, but not with this manager",
        _view(trace(_STEP)),
        f"Jammed, raised in a worker, is lost in gymnasium-async; its parent raises {_MISSING}",
    ),
    Example(
        "DI-engine's workers build it of its text",
        _view(_defined(relay={"loads": _MISSING}, rebuilt=_MISSING), manager="ding-subproc"),
        "Jammed, raised in a worker, is lost in ding-subproc: its worker cannot build it"
        f" of its text and ends, so that the parent raises EOFError ({_MISSING})",
    ),
    Example(
        "DI-engine's workers never send its lock",
        _view(_defined(relay={"dumps": _LOCKED}, rebuilt=""), manager="ding-subproc"),
    ),
    Example("another manager passes it on", _view(trace(_STEP), manager="sb3-subproc")),
    Example(
        "a manager that hosts in its own process",
        _view(_defined(relay={"loads": _MISSING}), sends=()),
    ),
    Example("all arrive", _view(trace(instance("step-raised", error=raised())))),
)
