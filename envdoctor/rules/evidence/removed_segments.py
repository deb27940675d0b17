"""Shared memory that is gone where a process uses it, because another one removed it."""

from __future__ import annotations

from envdoctor.model.finding import Location
from envdoctor.model.training import Training
from envdoctor.model.training_files import OPENS, REMOVES, SegmentUse
from envdoctor.model.training_instances import Raised
from envdoctor.rules.evidence.hangs import short

MISSING = "FileNotFoundError"


def removal(training: Training, error: Raised, pid: int) -> SegmentUse | None:
    """The use of another process, before an exception, that removed the segment that it names: a
    call of unlink(), or that it was opened and left to Python's resource tracker.
    """
    if error.type != MISSING:
        return None
    own = next((each.name for each in training.segments if f"'{each.name}'" in error.message), None)
    others = [each for each in training.segments if each.name == own and each.pid != pid]
    trackers = {each.tracker for each in training.segments if each.name == own and each.pid == pid}
    for each in others:
        if each.use == REMOVES:
            return each
    for each in others:
        process = training.process(each.pid)
        is_over = process is not None and process.ended is not None and process.ended < error.at
        if each.use == OPENS and each.tracker and each.tracker not in trackers and is_over:
            return each
    return None


def words_of(use: SegmentUse) -> str:
    """The sentence on a removal, after that on the exception."""
    if use.use == REMOVES:
        return f"; {_at(use.location)} in another process had removed it before by unlink()"
    return (
        f"; another process had opened it at {_at(use.location)} and ended before: at its end,"
        " Python's resource tracker removes the shared memory that it only opened"
    )


def cure_of(use: SegmentUse) -> str:
    """The remedy where shared memory was removed too early."""
    if use.use == REMOVES:
        return (
            "let the process alone call unlink() that makes the shared memory, once the others have"
            " ended: these only call close()."
        )
    return (
        "where shared memory is only opened, keep Python's resource tracker from removing it:"
        " SharedMemory(name, track=False) from Python 3.13 on, and"
        ' resource_tracker.unregister(memory._name, "shared_memory") before; and call close()'
        " there. The process that makes it calls unlink()."
    )


def _at(place: Location) -> str:
    return f"{short(place.file)}:{place.line} in {place.function}()"
