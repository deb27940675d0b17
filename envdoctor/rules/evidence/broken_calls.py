"""Calls that fail because of a second instance."""

from __future__ import annotations

from envdoctor.model.records import VerbRecord
from envdoctor.model.trace import Trace

BREAKABLE = ("step", "render", "close")  # where it is seen; what fails before is another statement


def broken_call(both: Trace, alone: Trace) -> VerbRecord | None:
    """The first call of one of two instances that raised and does not when there is only one; of
    step() and close(), when both instances could be made and reset.
    """
    failed = (
        event for event in both.records(VerbRecord, state="raised") if not _fails(alone, event)
    )
    broken = next(failed, None)
    everything = broken and call_in(broken) in BREAKABLE and "@" in broken.verb
    known = broken is not None and alone.verbs(call_in(broken), "ended")
    return broken if everything and known else None


def _fails(alone: Trace, event: VerbRecord) -> bool:
    """Return whether what raised raises when there is only one instance, too."""
    return bool(alone.verbs(call_in(event), "raised"))


def call_in(event: VerbRecord) -> str:
    """`step` of the verb `step:3@1`."""
    return event.verb.split(":", maxsplit=1)[0].split("@", maxsplit=1)[0]
