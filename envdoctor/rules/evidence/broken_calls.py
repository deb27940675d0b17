"""Calls that fail because of a second instance."""

from __future__ import annotations

from envdoctor.model.records import VerbRecord
from envdoctor.model.scenario import verb_name
from envdoctor.model.trace import Trace
from envdoctor.rules.evidence.close_calls import DRAWS

#: Where it is seen; what fails before is another statement.
BREAKABLE = ("step", *DRAWS, "close")


def broken_call(both: Trace, alone: Trace) -> VerbRecord | None:
    """The first call of one of two instances that raised and does not when there is only one; of
    step() and close(), when both instances could be made and reset.
    """
    failed = both.records(VerbRecord, state="raised")
    broken = next((event for event in failed if not _is_known(alone, event, "raised")), None)
    everything = broken and verb_name(broken.verb) in BREAKABLE and "@" in broken.verb
    return broken if broken and everything and _is_known(alone, broken, "ended") else None


def call_of(verb: str) -> str:
    """The call that a verb makes: `render` for an image."""
    name = verb_name(verb)
    return "render" if name in DRAWS else name


def _is_known(alone: Trace, event: VerbRecord, state: str) -> bool:
    """Return whether the call came to the same state when there is only one instance."""
    name = verb_name(event.verb)
    return any(alone.verbs(each, state) for each in (DRAWS if name in DRAWS else (name,)))
