"""The aim of a remedy for an exception that ended a training, or a process of it."""

from __future__ import annotations

import re

from envdoctor.frameworks.older_interfaces import REFUSED, UNPACKED
from envdoctor.model.errors import BOOTSTRAPPING, Frame
from envdoctor.model.finding import Location
from envdoctor.model.training import PROCESS, Handed, Training
from envdoctor.model.training_aims import EndEpisode, FailureKind, MendFailure
from envdoctor.model.training_errors import AGAIN, BASE, LAYER, REGISTRAR, ErrorDetail
from envdoctor.model.training_files import OPENS
from envdoctor.model.training_instances import Raised
from envdoctor.rules.evidence.removed_segments import removal
from envdoctor.rules.evidence.run_on import end_episode, left_over
from envdoctor.rules.evidence.training_deaths import (
    OTHER_LOOP,
    SEND,
    TEXT,
    Ending,
    TrainingDeath,
    closed_before,
    crash_line,
    imports_again,
)
from envdoctor.rules.evidence.training_sites import lines_of
from envdoctor.rules.remedies.missing_in_worker import UNKNOWN_ID

INDEX = "IndexError"
EXISTS = "FileExistsError"
CLOSED_HANDLE = re.compile("handle is closed")  # of a connection that goes to another process
NOT_DONE = re.compile("reset (an )?environment (which is not|before) done")  # of monitors
#: What a message says, and the kind of the failure.
SAID: tuple[tuple[re.Pattern[str], FailureKind], ...] = (
    (re.compile(re.escape(BOOTSTRAPPING)), "guard"),
    (re.compile("forked subprocess"), "fork"),  # of a device that was opened before the fork
    (CLOSED_HANDLE, "handle"),
    (NOT_DONE, "limit"),
    (re.compile("current event loop in thread"), "loop"),
    (OTHER_LOOP, "mutex"),
    (re.compile(r"\b(game|episode|match|round) (is|was|has) (already )?(over|done|ended)"), "over"),
)
NONE = "NoneType"
NO_CLOSE = re.compile(r"'(\w+)' object has no attribute 'close'")
LOCAL_LAMBDA = re.compile(r"pickle .*?([\w.]+)\.<locals>\.<lambda>")


def spawn_workers(training: Training, *others: Location | None) -> MendFailure | None:
    """Let the line that starts processes spawn them; else the first that is known."""
    started = [each.location for each in lines_of(training, PROCESS, training.pid)]
    place = next(filter(None, (*started, *others)), None)
    return MendFailure(Frame(place.file, place.line), "fork") if place is not None else None


def leave_open(place: Location | None) -> MendFailure | None:
    """Let a line not close what it was given, and what is used after that."""
    return MendFailure(Frame(place.file, place.line), "owner") if place is not None else None


def mend_ending(ending: Ending, training: Training) -> MendFailure | EndEpisode | None:
    """Let a script go on after what ended it; nothing where that leaves several cures."""
    over = end_episode(left_over(ending.instance), failed=True)
    if over is not None and closed_before(ending.instance) is None:
        return over
    origin, kind = ending.error.origin, ending.error.message.partition(":")[0].rpartition(".")[2]
    if ending.error.method == TEXT and kind in UNKNOWN_ID and origin is not None:
        return MendFailure(Frame(origin.file, origin.line), "id")
    aim = mend_failure(ending.error, ending.handed) or leave_open(closed_before(ending.instance))
    aim = aim or _take_values(ending.error, training)
    place = ending.error.location
    if aim is not None or not ending.closed or place is None:
        return aim
    return MendFailure(Frame(place.file, place.line), "borrowed")


def _take_values(error: Raised, training: Training) -> MendFailure | None:
    """Let a line take as many values as a call returns, or the call return as many as it takes:
    that of the class of the training's environments, where all are of one.
    """
    if error.location is None or not UNPACKED.match(error.message):
        return None
    names = {each.class_name.rpartition(".")[2] for each in training.instances}
    name = names.pop() if len(names) == 1 else ""
    return MendFailure(Frame(error.location.file, error.location.line), "values", name)


def mend_death(training: Training, death: TrainingDeath) -> MendFailure | None:
    """Let a process make the instance that it was forked with, and died with; or have an object for
    each instance, where a thread has one; or keep what another one has opened; or go on where an
    exception ended it.
    """
    raised = death.process.raised
    removed = removal(training, raised, death.process.pid) if raised is not None else None
    if removed is not None and removed.use == OPENS:
        return MendFailure(Frame(removed.location.file, removed.location.line), "opened")
    first = death.first
    if first is not None and first.is_forked_copy and first.location is not None:
        return MendFailure(Frame(first.location.file, first.location.line), "process")
    crash = crash_line(death.process) if death.beside else None
    if crash is not None:
        return MendFailure(Frame(crash.file, crash.line), "thread")
    return mend_failure(death.error)


def mend_empty(error: Raised) -> MendFailure | None:
    """Guard a script whose work a worker's import of it began again; else mend what ended it."""
    place = error.location
    if place is not None and imports_again(error):
        return MendFailure(Frame(place.file, place.line), "guard")
    return mend_failure(error)


def mend_failure(error: Raised | None, handed: Handed | None = None) -> MendFailure | None:
    """Let a training go on where the message of an exception leaves one cure; nothing of others."""
    if error is None or error.location is None:
        return None
    place = Frame(error.location.file, error.location.line)
    known = _of_detail(error.detail, place)
    if known is not None:
        return known
    refused = REFUSED.search(error.message)
    unpickled = LOCAL_LAMBDA.search(error.message)
    unclosed = NO_CLOSE.search(error.message)
    if handed is not None:
        return MendFailure(place, "instances", handed.vectorizer)
    said = (kind for words, kind in SAID if words.search(error.message))
    kind = "exists" if error.type == EXISTS else next(said, None)
    if kind is not None:
        return MendFailure(place, kind)
    if refused is not None:
        return MendFailure(place, "arguments", refused.group("name") or "")
    if error.type.rpartition(".")[2] == INDEX:
        return MendFailure(place, "index")
    if unclosed is not None:
        kind = "missing" if unclosed.group(1) == NONE else "close"
        return MendFailure(place, kind, unclosed.group(1))
    if unpickled is not None:
        return MendFailure(place, "lambda", unpickled.group(1))
    if error.method == SEND and error.called_at is not None:
        sent = Frame(error.called_at.file, error.called_at.line)
        return MendFailure(sent, "sent", error.unfollowed.partition(".")[0])
    return MendFailure(place, "id") if error.type.rpartition(".")[2] in UNKNOWN_ID else None


def _of_detail(detail: ErrorDetail | None, place: Frame) -> MendFailure | None:
    """The aim for a failure of which the circumstance is known, where that leaves one cure."""
    if detail is None:
        return None
    if detail.kind == LAYER and BASE in detail.names:
        return MendFailure(place, "layer", detail.names[1])
    if detail.kind == REGISTRAR and len(detail.names) == 1:
        return MendFailure(place, "import", detail.names[0])
    if detail.kind == AGAIN and detail.location is not None:
        again = Frame(detail.location.file, detail.location.line)
        return MendFailure(again, "wrapped", detail.names[0])
    return None
