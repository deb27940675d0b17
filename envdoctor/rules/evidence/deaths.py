"""Processes that died while they hosted an environment: who, of what, and in which call."""

from __future__ import annotations

import signal
from collections.abc import Iterator

from envdoctor.model.errors import kind_of
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.records import InstanceRecord, VerbRecord, WorkerExitRecord, WorkersRecord
from envdoctor.model.scenario import DIRECT, verb_name
from envdoctor.model.trace import EXITED, OUT_OF_MEMORY, SIGNALLED, TIMED_OUT, Outcome, Trace

KILLED = "was killed by"
DEADLY = (EXITED, SIGNALLED, OUT_OF_MEMORY)

CALLS = {
    "make": "the constructor",
    "reset": "reset()",
    "reseed": "reset()",
    "repeat": "reset()",
    "vary": "reset()",
    "count": "reset()",
    "deny": "reset()",
    "step": "step()",
    "episode": "step()",
    "beginnings": "one of many episodes",
    "render": "render()",
    "picture": "render()",
    "close": "close()",
    "free": "the collection of the closed object",
    "drop": "the collection of the closed object",
    "check": "the checker of the framework",
    "pickle": "the pickling of the factory",
    "carry": "the pickling of what it returns",
    "acquisitions": "a plain life",
    "open": "the constructor",
    "shut": "close()",
    "warm": "repeated lives",
    "block": "repeated lives",
    "suspects": "repeated lives",
    "memray": "repeated lives under memray",
}

#: Verbs that call everything else: a death in them is reported only where no plainer verb died.
COMPOUND = ("check", "pickle", "carry", "beginnings", "warm", "block", "suspects", "memray")

# Errors that other rules report.
_EXPLAINED = ("make-raised", "reset-raised", "step-raised", "close-raised")
_BY_MANAGER = -int(signal.SIGTERM)  # how managers end workers that they want no more
# What a manager raises whose worker is gone.
_CUT_OFF = ("EOFError", "BrokenPipeError", "ConnectionResetError")


@dataclass(frozen=True)
class Death:
    """A worker that died: its process, how (`died of SIGSEGV`), and the call it was in
    (`step()`).
    """

    pid: int
    how: str
    call: str


def was_cut_back(trace: Trace) -> bool:
    """Return whether its containers were cut back: what fails, hangs or dies then may do so for
    that, as a close() that removes its own entry from a list.
    """
    return bool(trace.verbs("cut"))


#: Signals of a program that crashed: none that another one sends to end it.
_CRASHES = tuple(
    int(getattr(signal, name))
    for name in ("SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGSEGV", "SIGSYS", "SIGTRAP")
    if hasattr(signal, name)
)
BY_SHELL = 128  # and the signal: the exit code of a shell whose command died


@dataclass(frozen=True)
class CrashedChild:
    """A child that nothing waited for, which died of a signal: its name and the signal."""

    name: str
    signal: int

    @property
    def words(self) -> str:
        """The words that say how it died, after the call that hangs."""
        return (
            f"a child of its process, {self.name}, had died of {signal.Signals(self.signal).name}"
        )

    def remedy(self, what: str) -> str:
        """The cure of a call that waits for it."""
        return (
            f"see why {self.name} dies; and have {what} ask whether it still runs"
            " (poll()) while it waits for an answer, and raise with how it ended."
        )


def crashed_child(trace: Trace) -> CrashedChild | None:
    """The child that had crashed when a call hung. What waits for a manager's workers is another
    finding.
    """
    for event in children_that_ended(trace):
        code = event.code or 0
        number = -code if code < 0 else code - BY_SHELL
        if number in _CRASHES:
            return CrashedChild(event.name, number)
    return None


def children_that_ended(trace: Trace) -> Iterator[WorkerExitRecord]:
    """The children that had ended when a call hung, and not before the life began, without the
    workers of a manager.
    """
    earlier = {pid for life in trace.lifecycles for pid in life.by_key("zombies", "before")}
    known = worker_pids(trace) | earlier
    for event in trace.records(WorkerExitRecord):
        if event.name and str(event.pid_of_worker) not in known:
            yield event


def how_it_died(outcome: Outcome) -> str:
    """`died of SIGSEGV`, `ended with exit code 3`, `ran out of memory`."""
    if outcome.kind == SIGNALLED:
        return f"died of {outcome.signal}"
    return (
        "ran out of memory"
        if outcome.kind == OUT_OF_MEMORY
        else f"ended with exit code {outcome.exit_code}"
    )


def end_of(outcome: Outcome) -> str:
    """`SIGSEGV`, `exit code 3`."""
    return outcome.signal or f"exit code {outcome.exit_code}"


def call_of(verb: str) -> str:
    """`step()` for the verb `step:20@1`."""
    name = verb_name(verb)
    return CALLS.get(name, name)


def call_of_host(trace: Trace) -> str:
    """The call in which the process died that played the scenario. A manager's launch makes and
    closes instances: what the last one of that process had begun.
    """
    if trace.scenario.manager == DIRECT or verb_name(trace.outcome.verb) != "make":
        reopened = (
            trace.scenario.traits.reopens
            and trace.reached("close")
            and verb_name(trace.outcome.verb) in ("reset", "step")
        )
        return call_of(trace.outcome.verb) + (" after close()" if reopened else "")
    records = [event for event in trace.records(InstanceRecord) if event.parent]
    return {"making": call_of("make"), "closing": call_of("close")}.get(
        records[-1].what if records else "", "the launch"
    )


def dead_workers(trace: Trace) -> Iterator[Death]:
    """The workers that died by themselves while they hosted an environment, and whose own errors do
    not explain it.

    A worker that ends before it began to build anything did not start, which is another matter.
    """
    for event in trace.records(WorkerExitRecord):
        pid, code = event.pid_of_worker, event.code
        records = [other for other in trace.records(InstanceRecord) if other.pid == pid]
        if (
            code is None
            or code == _BY_MANAGER
            or (code == 0 and not _unasked(trace, event))
            or not records
            or any(other.what in _EXPLAINED for other in records)
        ):
            continue
        # It closed its environment, and then could not tell its parent.
        if code > 0 and records[-1].what == "closed":
            continue
        yield Death(pid, how_it_ended(code), call_in(trace, records[-1]))


def _unasked(trace: Trace, end: WorkerExitRecord) -> bool:
    """Return True if a worker ended before its manager was closed, and the manager noticed: it
    called os._exit(0), or became another program.
    """
    closed = any(verb.index < end.index for verb in trace.verbs("close"))
    raised = next((kind_of(verb.error) for verb in trace.records(VerbRecord, state="raised")), "")
    return not closed and raised.rpartition(".")[2] in _CUT_OFF


def how_it_ended(code: int, died: str = "died of") -> str:
    """The exit code of a process object in words; negative codes are signals, it `died` of them."""
    if code >= 0:
        return f"ended with exit code {code}"
    try:
        return f"{died} {signal.Signals(-code).name}"
    except ValueError:
        return f"{died} signal {-code}"


def call_in(trace: Trace, last: InstanceRecord) -> str:
    """The call a worker died in: what its last event had begun, else the verb that failed in
    the parent.
    """
    if last.what in ("making", "closing"):
        return CALLS["make" if last.what == "making" else "close"]
    failed = list(trace.records(VerbRecord, state="raised"))
    if failed or trace.outcome.kind == TIMED_OUT:
        return call_of(failed[0].verb if failed else trace.outcome.verb)
    return "an unknown call"


def worker_pids(trace: Trace | None) -> set[str]:
    """The manager's own workers."""
    return {
        str(pid) for event in (trace.records(WorkersRecord) if trace else ()) for pid in event.pids
    }


def close_failed(trace: Trace | None) -> bool:
    """Return True if close() of the manager raised."""
    return trace is not None and bool(trace.verbs("close", "raised"))
