"""The common part of the rules on pickling: values that do not pickle, and how a manager fails on
them.
"""

from __future__ import annotations

from collections.abc import Mapping

from envdoctor.model.errors import ErrorValue, message_of
from envdoctor.model.facts import Attempt, Payloads, SurveyedManager
from envdoctor.model.records import InstanceRecord, VerbRecord
from envdoctor.model.scenario import EPISODE
from envdoctor.model.trace import Trace
from envdoctor.rules.engine.view import View

CALLS = ("make", "reset", "step", "episode")


def sent_by(view: View, manager: str) -> tuple[str, ...]:
    """Return the values that a manager pickles between its processes, according to the probe."""
    return (view.survey.managers.get(manager) or SurveyedManager()).sends


def broken_payloads(view: View) -> dict[str, Attempt]:
    """Return the values that did not survive pickling, by name, as it was tried without a
    manager.
    """
    unsent = () if view.api.sends_spaces else ("observation_space", "action_space")
    return {
        name: attempt
        for scenario in (EPISODE, "close-twice")  # what fails from the first call on has its place
        if (trace := view.direct.trace(scenario)) and (tried := trace.fact(Payloads))
        for name, attempt in tried.attempts.items()
        if not attempt.ok and name not in unsent
    }


def payload_in_the_way(view: View) -> tuple[str, Attempt] | None:
    """(name, attempt) of what this manager has to send and cannot, seen where it failed because
    of it; else None.
    """
    broken = {
        name: attempt
        for name, attempt in broken_payloads(view).items()
        if name in sent_by(view, view.manager)
    }
    stopped = (_stopped_by(view.trace(name), broken) for name in ("life", EPISODE))
    return next((result for result in stopped if result), None)


def _stopped_by(trace: Trace | None, broken: Mapping[str, Attempt]) -> tuple[str, Attempt] | None:
    """Return the one of these that stopped a play."""
    failed = (
        [
            event
            for event in trace.records(VerbRecord, state="raised")
            if event.verb.split(":")[0] in CALLS
        ]
        if trace
        else []
    )
    if not failed or any(_environment_raised(trace)):
        return None
    at_launch = failed[0].verb == "make"
    candidates = [item for item in broken.items() if ("space" in item[0]) == at_launch]
    return next(
        (item for item in candidates if at_launch or _is_of_payload(failed[0].error, item[1])), None
    )


def _environment_raised(trace: Trace | None) -> list[str]:
    """Return the errors that environments themselves raised under this manager: then a payload is
    not what failed. Those of close() come after it.
    """
    raised = (event.what for event in trace.records(InstanceRecord)) if trace else ()
    return [what for what in raised if what.endswith("-raised") and what != "close-raised"]


def _is_of_payload(error: ErrorValue | None, attempt: Attempt) -> bool:
    """Return True if the manager's error is that of pickling the payload, or only says that a
    worker is gone.
    """
    ours, theirs = (message_of(attempt.error), message_of(error))
    return ours == theirs or "pickle" in theirs or not theirs
