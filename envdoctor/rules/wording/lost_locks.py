"""Locks that are taken for tasks which were cancelled, as a sentence and its cure have them."""

from __future__ import annotations

from envdoctor.model.training import Training
from envdoctor.rules.evidence.hangs import short
from envdoctor.rules.wording.leftovers import listing


def lost_lock(training: Training) -> str:
    """`; a lock is still held that a thread took at train.py:52 ...`, or nothing."""
    lines = dict.fromkeys(f"{short(place.file)}:{place.line}" for place in training.lost_locks)
    if not lines:
        return ""
    return (
        f"; a lock is held that a thread took at {listing(list(lines))} for a task that was"
        " cancelled while it waited, so that nothing releases it"
    )


def lost_lock_remedy(training: Training) -> str:
    """Return how a task gives back what was taken for it; nothing where no lock was lost."""
    if not training.lost_locks:
        return ""
    return (
        "use asyncio.Lock in place of a lock that a thread waits for: a task that is cancelled does"
        " not take it. Or keep the future of acquire(), and release the lock when it comes back."
    )
