"""What the rules on pickling share: what of the environment does not travel, and what a manager
made of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envdoctor.model.events import ErrorValue
from envdoctor.rules.engine.view import View

Attempt = Mapping[str, Any]

CALLS = ("make", "reset", "step")


def sent_by(view: View, manager: str) -> tuple[str, ...]:
    """What a manager pickles between its processes, as the probe tells."""
    known = (view.survey.get("managers") or {}).get(manager) or {}
    return tuple(known.get("sends") or ())


def broken_payloads(view: View) -> dict[str, Attempt]:
    """What did not survive the way to another process and back, by name, as it was tried
    without a manager.
    """
    played = view.direct.trace("close-twice")
    told = (played.fact("payloads") if played else None) or {}
    unsent = () if view.api.sends_spaces else ("observation_space", "action_space")
    return {
        name: attempt for name, attempt in told.items() if not attempt["ok"] and name not in unsent
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
    played = view.trace("life")
    failed = (
        [
            event
            for event in played.of("verb", state="raised")
            if event["verb"].split(":")[0] in CALLS
        ]
        if played
        else []
    )
    if not failed or any(_environment_raised(view)):
        return None
    at_launch = failed[0]["verb"] == "make"
    candidates = [item for item in broken.items() if ("space" in item[0]) == at_launch]
    return next(
        (item for item in candidates if at_launch or _tells(failed[0].get("error"), item[1])), None
    )


def _environment_raised(view: View) -> list[str]:
    """What environments themselves raised under this manager: then a payload is not what failed.
    What close() raises comes after it.
    """
    played = view.trace("life")
    raised = (str(event["what"]) for event in played.of("instance")) if played else ()
    return [what for what in raised if what.endswith("-raised") and what != "close-raised"]


def _tells(error: ErrorValue | None, attempt: Attempt) -> bool:
    """Whether the manager's error is that of pickling the payload, or only says that a worker
    is gone.
    """
    ours, theirs = (
        str((attempt.get("error") or {}).get("message", "")),
        str((error or {}).get("message", "")),
    )
    return ours == theirs or "pickle" in theirs or not theirs
