"""Instances of a training on which step() was called after an end: what was said, and the cure."""

from __future__ import annotations

from envdoctor.model.errors import Frame
from envdoctor.model.training_aims import EndEpisode
from envdoctor.model.training_ends import RunOn
from envdoctor.model.training_instances import Instances

OLD = ("done",)  # what step() of older interfaces says


def left_over(instance: Instances | None) -> RunOn | None:
    """Return the end after which step() was called and raised; None where it did not."""
    if instance is None or instance.error is None or instance.error.method != "step":
        return None
    known = instance.run_on
    is_of_end = known is not None and known.is_over and known.location is not None
    return known if is_of_end and instance.made == 1 else None


def condition(run_on: RunOn) -> str:
    """`terminated or truncated`."""
    return "done" if run_on.by == OLD else "terminated or truncated"


def reset_call(run_on: RunOn) -> str:
    """`observation, info = env.reset()`."""
    names = "observation" if run_on.by == OLD else "observation, info"
    return f"{names} = env.reset()"


def end_episode(run_on: RunOn | None, failed: bool = False) -> EndEpisode | None:
    """Let the loop that calls step() on reset, or end, where an episode has ended."""
    if run_on is None or run_on.location is None:
        return None
    place = Frame(run_on.location.file, run_on.location.line)
    return EndEpisode(place, is_old=run_on.by == OLD, failed=failed)
