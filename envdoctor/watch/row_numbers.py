"""Values of numbers in a row of a page."""

from __future__ import annotations

from envdoctor.model import page
from envdoctor.model.finding import Location
from envdoctor.model.training_ends import ResetAgain, RunOn


def sources(bits: int) -> tuple[str, ...]:
    """The generators that a number of a page names."""
    return tuple(name for at, name in enumerate(page.SOURCES) if bits >> at & 1)


def run_on(numbers: tuple[int, ...], location: Location | None) -> RunOn | None:
    """Return the calls of step() after ends; None where there were none."""
    if not numbers[page.RUN_ON]:
        return None
    endings = numbers[page.ENDED_BY]
    return RunOn(
        ends=numbers[page.ENDS],
        passed=numbers[page.RUN_ON],
        steps=numbers[page.PAST],
        by=tuple(name for at, name in enumerate(page.ENDINGS) if endings >> at & 1),
        location=location,
        is_over=numbers[page.END_AT] > numbers[page.AT_BEGINNING],
    )


def reset_again(numbers: tuple[int, ...], location: Location | None) -> ResetAgain | None:
    """Return the resets that came right after another one; None where they were too few."""
    return ResetAgain(numbers[page.IDLE], location) if location is not None else None
