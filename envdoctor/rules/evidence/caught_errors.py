"""Errors that an environment raises and catches, as the cause of what only some calls leave."""

from __future__ import annotations

from dataclasses import replace

from envdoctor.analysis.growth.leaks import Leak
from envdoctor.analysis.growth.sides import INSTANCE, LIFECYCLE
from envdoctor.model.errors import Frame
from envdoctor.model.facts import CaughtError, CaughtErrors
from envdoctor.model.failure_aims import EndFailed
from envdoctor.model.training_instances import Raised
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.hangs import short

FEWEST = 2  # calls in which it has to be caught
METHODS = ("reset", "step")
CANCELLED = "CancelledError"  # of asyncio: what a time limit raises in what it gives up
LONGEST = 60  # characters of its message


def _known(view: View) -> CaughtErrors:
    facts = (run.fact(CaughtErrors) for run in view.optional("caught"))
    return next(filter(None, facts), CaughtErrors())


def caught_as_often(view: View, leak: Leak) -> CaughtError | None:
    """The error that is caught in as many calls as leave something, where it is one alone. What is
    played has a step in each reset.
    """
    rate, known = leak.shares[leak.operation], _known(view)
    if rate >= 1 or leak.operation not in METHODS:
        return None
    expected = rate * known.resets
    return _only([each for each in known.errors if abs(each.calls - expected) <= 1])


def caught_each_time(view: View, sensor: str) -> CaughtError | None:
    """The error that is caught in all calls that leave something, and hardly in others."""
    return _only([each for each in _known(view).errors if sensor in each.left])


def where_caught(leak: Leak, error: CaughtError | None) -> Leak:
    """The leak as one of episodes, where an error is caught in some steps: those that leave nothing
    have other actions. A machine on which few cycles fit the time says the same.
    """
    if error is None or error.within != "step" or leak.side not in (INSTANCE, LIFECYCLE):
        return leak
    return replace(leak, shares={"episode": leak.rate})


def _only(errors: list[CaughtError]) -> CaughtError | None:
    often = [
        each
        for each in errors
        if each.calls >= FEWEST and each.frame and each.caught and each.type != CANCELLED
    ]
    return often[0] if len(often) == 1 else None


def as_often(error: CaughtError | None, how: str = "as often") -> str:
    """`; as often, ServiceError: 503 (env.py:33 in delete) is caught at env.py:64`, or nothing."""
    if error is None or error.frame is None or error.caught is None:
        return ""
    message = error.message if len(error.message) <= LONGEST else f"{error.message[:LONGEST]}..."
    raised = Raised(error.type, message, error.frame).sentence
    within = f", in {error.within}()" if error.within else ""
    if error.frame == error.caught:
        return f"; {how}, {raised} is caught there{within}"
    place = f"{short(error.caught.file)}:{error.caught.line} in {error.caught.function}"
    return f"; {how}, {raised} is caught at {place}{within}"


def end_failed(error: CaughtError | None) -> EndFailed | None:
    """The aim of ending what is left where an error is caught."""
    place = error.caught if error is not None else None
    return EndFailed(Frame(place.file, place.line)) if place is not None else None
