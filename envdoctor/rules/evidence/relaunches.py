"""Failures of instances beyond one launch of a manager: launched again, retried, renewed, reset
with parameters.
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.errors import ErrorValue
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.records import InstanceRecord, VerbRecord
from envdoctor.model.scenario import CONFIGURED, RELAUNCHED, RENEWED, RETRIED, verb_name
from envdoctor.model.trace import FINISHED, Trace
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.deaths import dead_workers
from envdoctor.rules.evidence.faults import error_line

RAISED = ("make-raised", "reset-raised", "step-raised")


@dataclass(frozen=True)
class RelaunchFailure:
    """The first call that raised in a scenario, and the error: an environment's `own`, or else
    the manager's.
    """

    trace: Trace
    call: str
    error: ErrorValue | None
    own: bool

    @property
    def name(self) -> str:
        """The scenario's."""
        return self.trace.scenario.name

    @property
    def text(self) -> str:
        """The error in one line."""
        return error_line(self.error)


def failures(view: View) -> Iterator[RelaunchFailure]:
    """Those that no other rule tells: a worker that died (PRC003), a close() that raised (CLS001,
    CLS014), an instance that was closed and is reset again, which workers of DI-engine do where
    they retry (CLS016, DOC004).
    """
    for name in (RELAUNCHED, RENEWED, RETRIED, CONFIGURED):
        trace = view.trace(name)
        failure = (
            first_failure(trace) if trace is not None and went_well(view.trace("life")) else None
        )
        if (
            trace is None
            or failure is None
            or any(dead_workers(trace))
            or any(trace.records(InstanceRecord, what="close-raised"))
        ):
            continue
        if name != RETRIED or not closed_before_retry(trace):
            yield failure


def went_well(trace: Trace | None) -> bool:
    """Return True if a scenario came to its end, and nothing raised."""
    return (
        trace is not None
        and trace.outcome.kind == FINISHED
        and not any(trace.records(VerbRecord, state="raised"))
    )


def first_failure(trace: Trace) -> RelaunchFailure | None:
    """Return the first failure, or None."""
    began = 0
    for verb in trace.records(VerbRecord):
        if verb.state == "began":
            began = verb.index
        elif verb.state == "raised":
            own = _own(trace, began, verb.index)
            return RelaunchFailure(trace, verb_name(verb.verb), own or verb.error, own is not None)
    return None


def _own(trace: Trace, began: int, ended: int) -> ErrorValue | None:
    """The first error of an instance between two places of the journal."""
    raised = (
        record.error
        for record in trace.records(InstanceRecord)
        if began <= record.index < ended and record.what in RAISED
    )
    return next((error for error in raised if error), None)


def made_to_fail(trace: Trace) -> InstanceRecord | None:
    """The instance whose reset the doctor made to fail."""
    return next(trace.records(InstanceRecord, what="failing"), None)


def closed_before_retry(trace: Trace) -> bool:
    """Return True if that instance was closed at once, and not by close() of the manager."""
    failing = made_to_fail(trace)
    if failing is None:
        return False
    closed = [
        record.index
        for record in trace.records(InstanceRecord, what="closing")
        if record.index > failing.index and record.key == failing.key
    ]
    return bool(closed) and not any(
        failing.index < verb.index < closed[0] for verb in trace.verbs("close")
    )


def dropped_unclosed(trace: Trace) -> InstanceRecord | None:
    """That instance, where another one was built in its place before it was closed."""
    failing = made_to_fail(trace)
    for event in trace.records(InstanceRecord) if failing else ():
        if failing is None or event.index < failing.index:
            continue
        if event.what == "closing" and event.key == failing.key:
            return None
        if event.what == "making":
            return failing
    return None
