"""Calls that fail, or return something else, because of a second instance or a copy."""

from __future__ import annotations

from envdoctor.model.facts import Comparison
from envdoctor.model.records import VerbRecord
from envdoctor.model.trace import Trace
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.comparisons import moment, what_differs

CALLS = ("step", "render", "close")  # where it is seen; what fails before is another statement


def broken_call(both: Trace, alone: Trace) -> VerbRecord | None:
    """The first call of one of two instances that raised and does not when there is only one; of
    step() and close(), when both instances could be made and reset.
    """
    failed = (
        event for event in both.records(VerbRecord, state="raised") if not _fails(alone, event)
    )
    broken = next(failed, None)
    everything = broken and call_in(broken) in CALLS and "@" in broken.verb
    known = broken is not None and alone.verbs(call_in(broken), "ended")
    return broken if everything and known else None


def _fails(alone: Trace, event: VerbRecord) -> bool:
    """Return whether what raised raises when there is only one instance, too."""
    return bool(alone.verbs(call_in(event), "raised"))


def call_in(event: VerbRecord) -> str:
    """`step` of the verb `step:3@1`."""
    return event.verb.split(":", maxsplit=1)[0].split("@", maxsplit=1)[0]


def only_since_the_copy(view: View, trace: Trace, failed: VerbRecord) -> bool:
    """Return whether a call came back until the copy was made, and comes back in a life without
    one.
    """
    alone, copied = view.trace("life"), trace.verbs("copy", "ended")
    by_itself = alone is None or bool(alone.verbs(call_in(failed), "raised"))
    return call_in(failed) in CALLS and not by_itself and bool(copied) and failed.at > copied[0].at


def as_changed(comparison: Comparison) -> str:
    """`changes what it returns: observation[0] is 0.1 then and 0.2 else, at step 3`."""
    return (
        f"changes what it returns: {what_differs(comparison.first, 'then', 'and else')},"
        f" {moment(comparison.first)}"
    )
