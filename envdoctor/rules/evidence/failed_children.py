"""A process that an environment started, whose answer a call waits for, and which has ended by an
error: nothing can answer any more, since the environment itself keeps the other end of the pipe
open.
"""

from __future__ import annotations

from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.records import WorkerExitRecord
from envdoctor.model.trace import Trace
from envdoctor.model.waits import PIPE, READS, SOCKET
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.deaths import BY_SHELL, CrashedChild, children_that_ended
from envdoctor.rules.evidence.deaths import crashed_child as _crashed_child
from envdoctor.rules.evidence.exit_errors import process_errors


@dataclass(frozen=True)
class FailedChild:
    """A child that ended with an exit code: its error and the line of it, where it was printed."""

    code: int
    error: str = ""
    place: str = ""

    @property
    def words(self) -> str:
        """The words that say how it ended, after the call that hangs."""
        by = f", by {self.error}{self.place}" if self.error else ""
        return f"the process whose answer it waits for had ended with exit code {self.code}{by}"

    def remedy(self, what: str) -> str:
        """The cure of a call that waits for it."""
        first = "mend what raises there" if self.place else "see why that process ends"
        return (
            f"{first}; and have {what} ask whether the process still runs (is_alive(), poll())"
            " while it waits for an answer, and raise with how it ended."
        )


def ended_child(trace: Trace, view: View) -> CrashedChild | FailedChild | None:
    """The child for which a call that hangs waits in vain: it crashed, or it raised."""
    return _crashed_child(trace) or _failed_child(trace, view)


def _failed_child(trace: Trace, view: View) -> FailedChild | None:
    ended = [event for event in children_that_ended(trace) if _is_failure(event)]
    if not ended or not _waits_in_vain(trace, ended[-1].pid):
        return None
    errors = tuple(process_errors(trace.outcome.stderr))
    if not errors:
        return FailedChild(ended[-1].code or 0)
    frame = errors[-1].place(view)
    place = f" ({frame.file.rpartition('/')[2]}:{frame.line}, {frame.function})" if frame else ""
    return FailedChild(ended[-1].code or 0, errors[-1].error, place)


def _is_failure(event: WorkerExitRecord) -> bool:
    return event.code is not None and 0 < event.code < BY_SHELL


def _waits_in_vain(trace: Trace, pid: int) -> bool:
    """Return whether the main thread of a process reads what only the process itself can write."""
    return any(
        wait.main
        and wait.known
        and wait.on in (PIPE, SOCKET)
        and wait.way == READS
        and (wait.pid, wait.peers) == (pid, (pid,))
        for wait in trace.outcome.waits
    )
