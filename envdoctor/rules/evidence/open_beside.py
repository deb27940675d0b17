"""Instances that fail at once, beside another one of their class that is open in their process."""

from __future__ import annotations

from envdoctor.model.training import Training
from envdoctor.model.training_instances import Instances
from envdoctor.rules.evidence.hangs import short

FIRST = ("make", "reset")  # calls that take what a process may have only once


def open_beside(training: Training, failed: Instances | None) -> Instances | None:
    """Return an instance of the same class that was made before, and that is open in the process of
    one whose first call raised; None where any instance of that class was reset well beside another
    one, or where lines are not known.
    """
    if failed is None or not _fails_first(failed):
        return None
    alike = [each for each in training.instances if _is_alike(each, failed)]
    earlier = next((each for each in alike if each.row < failed.row and _is_open(each)), None)
    if earlier is None or any(each.row > earlier.row and _was_reset(each) for each in alike):
        return None
    return earlier


def beside(failed: Instances, other: Instances) -> str:
    """`; the instance was made at a.py:3 while another one, made at a.py:2, was open there`."""
    return (
        f"; the instance was made{_at(failed)} while another one, made{_at(other)}, was open there"
    )


def how_to_be_alone(failed: Instances) -> str:
    """Return how to see whether a process can have two, and what to do then."""
    return (
        f"mend what raises there; or see with `envdoctor check` whether one process can have two"
        f" instances of {failed.class_name} that are made like these: where it cannot, close the"
        " first one before, or make one of them without what both take (a window, a port, a file)."
    )


def _at(instance: Instances) -> str:
    place = instance.location
    return f" at {short(place.file)}:{place.line}" if place is not None else ""


def _fails_first(instance: Instances) -> bool:
    """Return whether one instance raised in its first call, and was called no more."""
    method = instance.error.method if instance.error is not None else ""
    is_first = not _was_reset(instance) and not instance.step.began
    return instance.number == 1 and instance.stopped and is_first and method in FIRST


def _was_reset(instance: Instances) -> bool:
    return instance.reset.ended > instance.raised


def _is_alike(other: Instances, failed: Instances) -> bool:
    same = (other.pid, other.type) == (failed.pid, failed.type)
    return same and other.row != failed.row and other.location is not None


def _is_open(instance: Instances) -> bool:
    """Return whether an instance of this process was made, and neither closed nor freed."""
    is_there = instance.made == 1 and not (instance.closed or instance.gone or instance.inherited)
    return is_there and not instance.copied and not instance.raised
