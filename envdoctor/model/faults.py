"""Faults that are put into one worker on purpose, to see what its manager makes of them."""

from __future__ import annotations

from typing import Optional

from envdoctor.model.fast_dataclass import dataclass

PREFIX = "fault:"
TEXT = "envdoctor put this fault here"  # what the errors say
SLOW = 1.0  # seconds that the slow step takes

CONSTRUCTOR, RESET, STEP, CLOSE = "constructor", "reset", "step", "close"
KILL, TWO_ARGUMENTS, UNPICKLABLE, SLOW_STEP = "kill", "two-arguments", "unpicklable", "slow"

#: Every kind, and what is done where.
KINDS = {
    CONSTRUCTOR: "the constructor raises",
    RESET: "reset() raises",
    STEP: "step() raises",
    CLOSE: "close() raises",
    KILL: "SIGKILL in step()",
    TWO_ARGUMENTS: "step() raises an exception of two arguments",
    UNPICKLABLE: "step() raises an exception that does not pickle",
    SLOW_STEP: "a step takes %g s" % SLOW,
}

#: Those that make sense where all instances live in one process.
IN_PROCESS = (CONSTRUCTOR, RESET, STEP, CLOSE)

#: Exceptions that say something only of a manager that sends exceptions to the parent at all.
HARD_TO_SEND = (TWO_ARGUMENTS, UNPICKLABLE)


@dataclass(frozen=True)
class Fault:
    """A kind of fault in the worker with an index, counted from 0; in that instance, where
    it has no workers.
    """

    kind: str
    worker: int

    def __str__(self) -> str:
        return "%s@%d" % (self.kind, self.worker)

    @property
    def name(self) -> str:
        """The name of the scenario that plays it: `fault:step@1`."""
        return PREFIX + str(self)


def fault_of(scenario: str) -> Optional[Fault]:
    """The fault that a scenario's name tells; None for an ordinary scenario."""
    if not scenario.startswith(PREFIX):
        return None
    kind, _, worker = scenario[len(PREFIX) :].partition("@")
    return Fault(kind, int(worker))
