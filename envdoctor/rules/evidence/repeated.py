"""The number of repeated calls of an environment."""

from __future__ import annotations

from envdoctor.model.traits import LIFECYCLE_CAUSES, OPEN_CAUSES
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.growth import is_function

#: Where containers are cut back, which an environment may not expect.
CAUSES = (LIFECYCLE_CAUSES, OPEN_CAUSES)
ENOUGH = 300  # steps


def calls_counted(view: View, operation: str) -> tuple[int, int]:
    """In how many calls of repeated cycles an operation failed, and how many there were."""
    failed = calls = 0
    for trace in view.traces:
        if trace.scenario.traits.growth in CAUSES:
            continue
        for event in (*trace.verbs("block", "ended"), *trace.verbs("warm", "ended")):
            counted = event.block or event
            failed += counted.failures(operation)
            calls += counted.calls(operation)
    return failed, max(calls, failed)


def too_few_steps(view: View) -> str:
    """Return the reason why too few steps were repeated to judge them, or nothing. Where steps are
    slow, one is made in each episode.
    """
    failed, steps = calls_counted(view, "step")
    if is_function(view) or failed or not 0 < steps < ENOUGH:
        return ""
    episodes = calls_counted(view, "reset")[1]
    return f"steps are slow: only {steps} were repeated, in {episodes} episodes"
