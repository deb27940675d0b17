"""What happens to instances beyond one launch of a manager, and how it failed: launched again,
retried, renewed, reset with parameters.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from envdoctor.model.events import ErrorValue, Event
from envdoctor.model.scenario import GIVEN, RELAUNCHED, RENEWED, RETRIED
from envdoctor.model.trace import FINISHED, Trace
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.deaths import dead_workers, name_of
from envdoctor.rules.evidence.faults import told

RAISED = ("make-raised", "reset-raised", "step-raised")


@dataclass(frozen=True)
class Failure:
    """The first call that raised in a scenario, and the error: an environment's `own`, or else
    the manager's.
    """

    played: Trace
    call: str
    error: ErrorValue | None
    own: bool

    @property
    def name(self) -> str:
        """The scenario's."""
        return self.played.scenario.name

    @property
    def text(self) -> str:
        """The error in one line."""
        return told(self.error)


def failures(view: View) -> Iterator[Failure]:
    """Those that no other rule tells: a worker that died (PRC003), a close() that raised (CLS001,
    CLS014), an instance that was closed and is reset again, which workers of DI-engine do where
    they retry (CLS016, DOC004).
    """
    for name in (RELAUNCHED, RENEWED, RETRIED, GIVEN):
        played = view.trace(name)
        failure = (
            first_failure(played) if played is not None and went_well(view.trace("life")) else None
        )
        if (
            played is None
            or failure is None
            or any(dead_workers(played))
            or any(played.of("instance", what="close-raised"))
        ):
            continue
        if name != RETRIED or not closed_before_retry(played):
            yield failure


def went_well(played: Trace | None) -> bool:
    """Whether a scenario came to its end, and nothing raised."""
    return (
        played is not None
        and played.outcome.kind == FINISHED
        and not any(played.of("verb", state="raised"))
    )


def first_failure(played: Trace) -> Failure | None:
    """Where it failed, or None."""
    began, error = 0, None
    for at, event in enumerate(played.events):
        if event["event"] == "verb" and event["state"] == "began":
            began = at
        elif event["event"] == "verb" and event["state"] == "raised":
            error = _own(played.events[began:at])
            return Failure(
                played, name_of(event["verb"]), error or event.get("error"), error is not None
            )
    return None


def _own(events: tuple[Event, ...]) -> ErrorValue | None:
    raised = (
        event.get("error")
        for event in events
        if event["event"] == "instance" and event["what"] in RAISED
    )
    return next((error for error in raised if error), None)


def made_to_fail(played: Trace) -> Event | None:
    """The instance whose reset the doctor made to fail."""
    return next(played.of("instance", what="failing"), None)


def closed_before_retry(played: Trace) -> bool:
    """Whether that instance was closed at once, and not by close() of the manager."""
    failing = made_to_fail(played)
    if failing is None:
        return False
    for event in played.events[played.events.index(failing) :]:
        if event["event"] == "verb" and name_of(event["verb"]) == "close":
            return False
        if event["event"] == "instance" and event["what"] == "closing" and _same(event, failing):
            return True
    return False


def dropped_unclosed(played: Trace) -> Event | None:
    """That instance, where another one was built in its place before it was closed."""
    failing = made_to_fail(played)
    later = played.events[played.events.index(failing) :] if failing else ()
    for event in (event for event in later if event["event"] == "instance"):
        if event["what"] == "closing" and _same(event, failing or {}):
            return None
        if event["what"] == "making":
            return failing
    return None


def _same(event: Event, other: Event) -> bool:
    return (event["pid"], event["serial"]) == (other.get("pid"), other.get("serial"))
