"""Vectorizers that share memory with their instances and stopped: how they work without it."""

from __future__ import annotations

from envdoctor.frameworks.profile import keywords
from envdoctor.model.records import VerbRecord
from envdoctor.model.scenario import FAILING_AGAIN, WITHOUT_BUFFERS
from envdoctor.model.trace import FINISHED, Trace
from envdoctor.rules.engine.view import View
from envdoctor.rules.remedies.launch_lines import launch_code


def plays_without(view: View) -> bool:
    """Return True if the life was played to its end in this place without that memory."""
    return not is_gone_by_itself(view) and any(map(went_well, view.optional(WITHOUT_BUFFERS)))


def is_gone_by_itself(view: View) -> bool:
    """True where the launch that failed goes well when it is played again: then nothing that is
    played otherwise is a cure.
    """
    return any(map(went_well, view.optional(FAILING_AGAIN)[-1:]))


def went_well(trace: Trace) -> bool:
    """Return True if nothing raised, up to the last step."""
    return (
        trace.outcome.kind == FINISHED
        and bool(trace.verbs("step", "ended"))
        and not any(trace.records(VerbRecord, state="raised"))
    )


def advice(view: View) -> str:
    """A sentence that goes on where another ended, or nothing."""
    known = view.vectorizer
    return (
        f" Where it differs on purpose: {known.class_name}(..., {keywords(known.without_buffers)})"
        " takes it as it is. Verified: it works."
        if plays_without(view)
        else ""
    )


def lines(view: View) -> tuple[str, ...]:
    """The launch without that memory, where it was seen to work."""
    if not plays_without(view):
        return ()
    return launch_code(
        (view.manager, view.start_method),
        "make_env",
        options=view.vectorizer.without_buffers,
        api=view.survey.api,
    )


def last_words(stderr: str) -> str:
    """The error that ended a worker, as Python printed it last; nothing where its last line is
    none.
    """
    said = [line.strip() for line in stderr.splitlines() if line.strip()]
    kind = said[-1].partition(":")[0].rpartition(".")[2] if said else ""
    return said[-1][:200] if kind.endswith(("Error", "Exception")) and kind.isidentifier() else ""
