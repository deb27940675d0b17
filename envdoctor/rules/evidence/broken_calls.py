"""Calls that fail because of a second instance."""

from __future__ import annotations

from envdoctor.model.records import VerbRecord
from envdoctor.model.scenario import verb_name
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
    everything = broken and verb_name(broken.verb) in BREAKABLE and "@" in broken.verb
    known = broken is not None and alone.verbs(verb_name(broken.verb), "ended")
    return broken if everything and known else None


def _fails(alone: Trace, event: VerbRecord) -> bool:
    """Return whether what raised raises when there is only one instance, too."""
    return bool(alone.verbs(verb_name(event.verb), "raised"))
