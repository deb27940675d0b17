"""Reactions of a manager to faults that were put into a null environment: from their traces to one
verdict each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from envdoctor.frameworks import profile_of, vectorizer_of, version_of
from envdoctor.model.errors import ErrorValue, kind_of, message_of, one_line
from envdoctor.model.faults import KILL, TEXT, Fault
from envdoctor.model.records import InstanceRecord, VerbRecord
from envdoctor.model.report import HANG, ITSELF, NOTHING, OTHER, FaultReport
from envdoctor.model.scenario import verb_name
from envdoctor.model.trace import INTERRUPTED, LOST, TIMED_OUT, Life, Trace

#: What counts as left once the manager was given up and its zombies are reaped.
HANDLES = ("descriptors", "threads", "processes", "zombies", "ports", "shared-memory", "files")

OF_A_THREAD = "Exception in thread("
_INJECTED = ("InjectedError", "UnpicklableError", "CalledProcessError")


def summarise(traces: Iterable[Trace], frameworks: Mapping[str, str]) -> tuple[FaultReport, ...]:
    """One verdict for each fault that was played to an end, or until it hung."""
    return tuple(report for trace in traces for report in verdict(trace, frameworks))


def verdict(trace: Trace, frameworks: Mapping[str, str]) -> Iterator[FaultReport]:
    """Yield the effect of one fault that the user would see, and its leftovers. Empty where the
    play itself was lost.
    """
    fault, outcome = trace.scenario.fault, trace.outcome
    if fault is None or outcome.kind in (INTERRUPTED, LOST):
        return
    failed = [
        event
        for event in trace.records(VerbRecord, state="raised")
        if verb_name(event.verb) != "drop"
    ]
    hung = verb_name(outcome.verb) if outcome.kind == TIMED_OUT else ""
    first, error = (
        verb_name(failed[0].verb) if failed else hung,
        (failed[0].error if failed else None),
    )
    yield FaultReport(
        manager=trace.scenario.manager,
        start_method=trace.scenario.start_method,
        framework=framework_of(trace.scenario.manager, frameworks),
        fault=fault.kind,
        worker=fault.worker,
        sees=_sees(error, hung),
        call=first,
        error=error_line(error) if error else "",
        close=_close(failed, hung, first),
        seconds=sum(event.seconds for event in trace.verbs("step")),
        unclosed=_unclosed(trace, fault),
        **_left(trace, hung),
    )


def framework_of(manager: str, frameworks: Mapping[str, str]) -> str:
    """`gymnasium 1.4.0`: whose manager it is, with the version that was played."""
    return f"{profile_of(manager).distribution} {version_of(manager, frameworks)}".strip()


def class_of(manager: str) -> str:
    """`AsyncVectorEnv`."""
    return vectorizer_of(manager).class_name


def sees_itself(trace: Trace) -> Iterator[VerbRecord]:
    """The verbs that raised the very error that was put in."""
    return (
        event for event in trace.records(VerbRecord, state="raised") if is_injected(event.error)
    )


def is_injected(error: ErrorValue | None) -> bool:
    """Return True if it is the error that was put in."""
    return kind_of(error).endswith(_INJECTED)


def _sees(error: ErrorValue | None, hung: str) -> str:
    if error is None:
        return HANG if hung else NOTHING
    # Who quotes it in an error of its own hides nothing.
    return ITSELF if is_injected(error) or TEXT in error_line(error) else OTHER


def error_line(error: ErrorValue | None) -> str:
    """An error in one line. What DI-engine's threads make of one is a number, and behind it the
    error.
    """
    message, cause = message_of(error), (error.cause if error else "")
    return " ".join(cause.split()) if cause and message.startswith(OF_A_THREAD) else one_line(error)


def _close(failed: list[VerbRecord], hung: str, first: str) -> str:
    """Return the result of close() after another call had failed."""
    later = [event for event in failed[1:] if verb_name(event.verb) == "close"]
    if later:
        return one_line(later[0].error)
    return HANG if failed and hung == "close" and first != "close" else ""


def _left(trace: Trace, hung: str) -> dict[str, Any]:
    """Workers and zombies after close(), and what is left at the very end. Unknown where the
    doctor had to end it.
    """
    if hung or not trace.lifecycles:
        return {"workers": None, "zombies": None, "leaks": {}}
    life = trace.lifecycles[-1]
    return {
        "workers": len(life.left("processes", "held")),
        "zombies": len(life.left("zombies", "held")),
        "leaks": _leaks(life),
    }


def _leaks(life: Life) -> dict[str, int]:
    left = {sensor: len(life.left(sensor, "collected")) for sensor in HANDLES}
    return {sensor: number for sensor, number in left.items() if number}


def _unclosed(trace: Trace, fault: Fault) -> int:
    """Environments whose close() was never called, without the one that was killed."""
    made = {event.key for event in trace.records(InstanceRecord, what="made")}
    closing = {event.key for event in trace.records(InstanceRecord, what="closing")}
    return max(0, len(made - closing) - (fault.kind == KILL))
