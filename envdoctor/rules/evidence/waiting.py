"""Managers that wait for ever for a worker that is gone: which worker, what became of it, and
why this was not noticed.
"""

from __future__ import annotations

from envdoctor.frameworks import vectorizer_of
from envdoctor.model.errors import ErrorValue, one_line
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.records import FactRecord, InstanceRecord, WorkersRecord
from envdoctor.model.scenario import DIRECT, verb_name
from envdoctor.model.trace import TIMED_OUT, Trace
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.close_calls import unfinished, unfinished_closes
from envdoctor.rules.evidence.deaths import CALLS, dead_workers
from envdoctor.rules.evidence.faults import class_of
from envdoctor.rules.evidence.stacks import where_it_was

_RAISED = {"make-raised": "make", "reset-raised": "reset", "step-raised": "step"}


@dataclass(frozen=True)
class ManagerWait:
    """The reason why a hung manager waits: the worker, its end (`died of SIGSEGV`) and the call,
    and the manager's side of it; `error` where one was raised.
    """

    worker: str
    end: str
    call: str
    manager: str
    error: ErrorValue | None = None

    def __str__(self) -> str:
        return f"{self.worker} {self.end} in {self.call}; {self.manager}"


def wait_for_gone(trace: Trace, view: View) -> ManagerWait | None:
    """Return why a manager hangs whose worker is gone; None where it does not hang, or where an
    environment is what hangs.
    """
    if trace.outcome.kind != TIMED_OUT or trace.scenario.manager == DIRECT:
        return None
    for death in dead_workers(trace):
        return ManagerWait(
            name_of_worker(trace, death.pid), death.how, death.call, _how_it_waits(trace)
        )
    failed = _last_failure(trace)
    if (
        failed is None
        or unfinished_closes(trace)
        or unfinished(trace)
        or where_it_was(trace.outcome.stacks, view)
    ):
        return None
    end, call = f"raised {one_line(failed.error)}", CALLS[_RAISED[failed.what]]
    return ManagerWait(
        name_of_worker(trace, failed.pid), end, call, _how_it_waits(trace), failed.error
    )


def _last_failure(trace: Trace) -> InstanceRecord | None:
    """The last error of an environment in a worker."""
    failures = [
        event for event in trace.records(InstanceRecord, parent=False) if event.what in _RAISED
    ]
    return failures[-1] if failures else None


def name_of_worker(trace: Trace, pid: int) -> str:
    """`worker 1`, counted from 0 as the manager does; `a worker` where its number is not known."""
    for event in trace.records(WorkersRecord):
        if pid in event.pids:
            return f"worker {event.pids.index(pid)}"
    for slot in trace.records(FactRecord, key="slot", pid=pid):
        return f"worker {slot.value}"
    return "a worker"


def _how_it_waits(trace: Trace) -> str:
    """`SubprocVecEnv started by fork waits for ever for it (a sibling holds the other end of
    its pipe)`.
    """
    scenario, call = trace.scenario, verb_name(trace.outcome.verb)
    started = f" started by {scenario.start_method}" if scenario.start_method else ""
    where = " in close()" if call == "close" else ""
    return f"{class_of(scenario.manager)}{started} waits for ever for it{where}{_why(trace, call)}"


def _why(trace: Trace, call: str) -> str:
    """Return the known reason of these managers, in brackets."""
    # The worker said that it failed; what it failed of does not come.
    known = vectorizer_of(trace.scenario.manager)
    if known.waits_in and f"in {known.waits_in}" in trace.outcome.stacks:
        return " (its exception does not pickle, so it never arrives)"
    if call == "close":
        return (
            " (it asks again for answers that it has already had)"
            if trace.verbs("step", "raised")
            else ""
        )
    forked = known.waits_when_forked if trace.scenario.start_method == "fork" else ""
    return f" ({forked})" if forked else ""
