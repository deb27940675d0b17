"""A process or a thread of an environment that has ended by an error, while a call waits for it:
for an answer in a pipe of which the environment itself keeps the other end open, for an event, in a
queue, or by looking again and again.
"""

from __future__ import annotations

from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.records import WorkerExitRecord
from envdoctor.model.trace import Trace
from envdoctor.model.waits import PIPE, READS, SOCKET, Wait
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.deaths import (
    BY_SHELL,
    CrashedChild,
    children_that_ended,
    crashed_child,
)
from envdoctor.rules.evidence.exit_errors import THREAD, Complaint, complaints, process_errors


@dataclass(frozen=True)
class FailedChild:
    """A child that ended with an exit code: its error and the line of it, where it was printed.
    `answers` is whether the call waits for what only that child could send.
    """

    code: int
    answers: bool = True
    error: str = ""
    place: str = ""

    @property
    def words(self) -> str:
        """The words that say how it ended, after the call that hangs."""
        by = f", by {self.error}{self.place}" if self.error else ""
        who = "the process whose answer it waits for" if self.answers else "a child of its process"
        return f"{who} had ended with exit code {self.code}{by}"

    def remedy(self, what: str) -> str:
        """The cure of a call that waits for it."""
        first = "mend what raises there" if self.place else "see why that process ends"
        return (
            f"{first}; and have {what} ask whether the process still runs (is_alive(), poll())"
            " while it waits for an answer, and raise with how it ended."
        )


@dataclass(frozen=True)
class FailedThread:
    """A thread of its process that ended: its name, its error, and the line of it."""

    name: str
    error: str
    place: str

    @property
    def words(self) -> str:
        """The words that say how it ended, after the call that hangs."""
        return f"{self.name}, a thread of its process, had ended by {self.error}{self.place}"

    def remedy(self, what: str) -> str:
        """The cure of a call that waits for it."""
        return (
            "mend what raises there; and have the thread catch what it raises and send it where"
            f" {what} waits for an answer, which raises it."
        )


def ended_by_error(trace: Trace, view: View) -> CrashedChild | FailedChild | FailedThread | None:
    """The child or the thread for which a call that hangs waits in vain: it crashed, or raised."""
    crashed = crashed_child(trace)
    if crashed is not None:
        return crashed
    waits = [wait for wait in trace.outcome.waits if _reads(wait)]
    in_vain = [wait.pid for wait in waits if wait.known and wait.peers == (wait.pid,)]
    if len(waits) > len(in_vain):  # something else may answer
        return None
    return _failed_child(trace, view, in_vain) or _failed_thread(trace, view)


def _reads(wait: Wait) -> bool:
    """Return whether a main thread waits for what is to come out of a pipe or a socket."""
    return wait.main and wait.on in (PIPE, SOCKET) and wait.way == READS


def _failed_child(trace: Trace, view: View, in_vain: list[int]) -> FailedChild | None:
    """The last child that ended by an error, where that was printed, or where its parent is one of
    the processes that wait in vain.
    """
    ended = [event for event in children_that_ended(trace) if _is_failure(event)]
    errors = tuple(process_errors(trace.outcome.stderr))
    answers = bool(ended) and ended[-1].pid in in_vain
    if not ended or not (errors or answers):
        return None
    code = ended[-1].code or 0
    if not errors:
        return FailedChild(code)
    return FailedChild(code, answers, errors[-1].error, _place(errors[-1], view))


def _failed_thread(trace: Trace, view: View) -> FailedThread | None:
    """The last thread that ended by an error of the environment's own code."""
    errors = [each for each in complaints(trace.outcome.stderr) if each.what == THREAD]
    own = [each for each in errors if each.place(view) is not None]
    return FailedThread(own[-1].name, own[-1].error, _place(own[-1], view)) if own else None


def _place(error: Complaint, view: View) -> str:
    frame = error.place(view)
    return f" ({frame.file.rpartition('/')[2]}:{frame.line}, {frame.function})" if frame else ""


def _is_failure(event: WorkerExitRecord) -> bool:
    return event.code is not None and 0 < event.code < BY_SHELL
