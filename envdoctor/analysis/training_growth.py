"""What grows in a process of a training. It has no moment of rest, so the floor is followed: the
least that was read in each of eight stretches. Garbage and buffers that are emptied again
raise the readings, not the floor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import mean, pstdev

from envdoctor.model.training_growth import (
    BLOCKS,
    GARBAGE,
    MALLOC,
    METERS,
    TOO_BRIEF,
    TOO_LITTLE,
    TOO_SHORT,
    Reading,
)

WINDOWS = 8
ENOUGH = 32  # readings, of which the first quarter is warm-up
FULL_RUNS = 3  # of the collector: garbage is gone
FADING = 0.5  # of the earlier rate: what falls below it fills
MEMORY = (BLOCKS, MALLOC)
#: Frameworks keep the figures of the last 100 episodes: until then, they grow steadily.
HORIZON = {"reset": 200, "step": 200, "instance": 20, "second": 20}
LEAST = {BLOCKS: 1000, MALLOC: 1 << 18}
BLOCK = 64  # bytes that a block of Python's has, about: for a comparison only
ROUGH = 0.2  # how much steadier a rate has to be to be preferred

GROWS, FLAT, OPEN = "grows", "flat", "not known"
PER = ("reset", "step", "instance")
SECOND = "second"  # where no calls are counted


@dataclass(frozen=True)
class Growth:
    """One meter of one process. `rate` is the rise for each `per`, of which there were `over`;
    `rise` all of it. `reason` says why it is not known.
    """

    meter: str
    verdict: str
    per: str = ""
    rate: float = 0.0
    rise: int = 0
    over: int = 0
    steps: int = 0
    reason: str = ""


def growths(readings: Sequence[Reading], attached: bool = False) -> tuple[Growth, ...]:
    """Of each meter that was read."""
    return tuple(
        growth(readings, meter, attached)
        for meter in METERS
        if any(getattr(one, meter) is not None for one in readings)
    )


def growth(readings: Sequence[Reading], meter: str, attached: bool = False) -> Growth:
    """Of one meter: with the calls of environments, or with time in a process of a training that
    was `attached` to.
    """
    known = [one for one in readings if getattr(one, meter) is not None]
    floors = _floors(known, meter)
    if not floors:
        return Growth(meter, OPEN, reason=TOO_BRIEF if attached else TOO_SHORT)
    rises = [_value(now, meter) - _value(then, meter) for then, now in pairwise(floors)]
    steps = floors[-1].steps - floors[0].steps
    per, over = _cause(floors, rises, (SECOND,) if attached else PER)
    if not per:
        return Growth(meter, OPEN, reason=TOO_SHORT)
    if per == SECOND and over < HORIZON[SECOND]:
        return Growth(meter, OPEN, per, over=over, reason=TOO_BRIEF)
    if not _rises(rises) or _fades(floors, rises, per):
        return Growth(meter, FLAT, per, over=over, steps=steps)
    rise = sum(rises)
    reason = _why_undecided(meter, per, over, rise, known)
    return Growth(meter, OPEN if reason else GROWS, per, rise / over, rise, over, steps, reason)


def _why_undecided(meter: str, per: str, over: int, rise: int, readings: Sequence[Reading]) -> str:
    """Why what rises steadily may yet be no growth."""
    if over < HORIZON[per]:
        return TOO_SHORT
    if rise < LEAST.get(meter, 0):
        return TOO_LITTLE
    return GARBAGE if meter in LEAST and _may_be_garbage(readings) else ""


def _value(one: Reading, meter: str) -> int:
    return int(getattr(one, meter))


def _floors(readings: Sequence[Reading], meter: str) -> list[Reading]:
    """The least reading of each stretch after the warm-up."""
    if len(readings) < ENOUGH:
        return []
    settled = readings[len(readings) // 4 :]
    cuts = [round(at * len(settled) / WINDOWS) for at in range(WINDOWS + 1)]
    return [min(settled[a:b], key=lambda one: _value(one, meter)) for a, b in pairwise(cuts)]


def _rises(rises: Sequence[int]) -> bool:
    return all(rise > 0 for rise in rises)


def _cause(
    floors: Sequence[Reading], rises: Sequence[int], causes: Sequence[str]
) -> tuple[str, int]:
    """Of some calls, those with which it rises most steadily, and how many there were of them."""
    best, steadiest, over = "", float("inf"), 0.0
    for per in causes:
        made = [_calls(now, per) - _calls(then, per) for then, now in pairwise(floors)]
        if min(made) <= 0:
            continue
        rates = [rise / calls for rise, calls in zip(rises, made, strict=True)]
        level = mean(rates)
        spread = pstdev(rates) / abs(level) if level else float("inf")
        if not best or spread < steadiest * (1 - ROUGH):
            best, steadiest, over = per, spread, sum(made)
    return best, int(over)


def _calls(one: Reading, per: str) -> float:
    return {"reset": one.resets, "step": one.steps, "instance": one.made, SECOND: one.t}[per]


def _fades(floors: Sequence[Reading], rises: Sequence[int], per: str) -> bool:
    """Whether the rate of the second half is clearly less than that of the first."""
    half = len(rises) // 2
    calls = [_calls(one, per) for one in floors]
    early = sum(rises[:half]) / (calls[half] - calls[0])
    late = sum(rises[half:]) / (calls[-1] - calls[half])
    return late < FADING * early


def _may_be_garbage(readings: Sequence[Reading]) -> bool:
    """Whether what grows can be objects that nothing holds and that the collector did not reach: it
    made no full runs, while containers were made that were not freed.
    """
    first, last = readings[len(readings) // 4], readings[-1]
    if last.full - first.full >= FULL_RUNS:
        return False
    floors = _floors(readings, "tracked")
    return floors[-1].tracked - floors[0].tracked >= WINDOWS


def weight(found: Growth) -> float:
    """Bytes of memory in ten million steps, at this rate."""
    size = BLOCK if found.meter == BLOCKS else 1 if found.meter == MALLOC else 0
    return found.rise * size * 1e7 / found.steps if found.steps else 0.0
