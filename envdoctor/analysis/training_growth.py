"""Growth in a process of a training.

A training has no moment of rest, so the floor is followed: the least that was read in each of eight
stretches. Garbage and buffers that are emptied again raise the readings, not the floor. The first
quarter of the readings and of the calls is warm-up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import mean, pstdev

from envdoctor.analysis.shortages import (
    BLOCK,
    BYTE,
    EPISODE,
    EPISODE_STEPS,
    READING,
    RUN,
    SETTLED,
    SPAN,
    STRETCH,
    Shortage,
    sentence,
)
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.meters import CHILD_MEMORY, meter_of
from envdoctor.model.training_growth import (
    BLOCKS,
    MALLOC,
    METERS,
    WRITTEN,
    Reading,
    Series,
    TrainingHolder,
)

WINDOWS = 8
ENOUGH = 32  # readings
FEWER = 24  # of child processes, which are neither a buffer nor garbage
SHORTEST = 2  # seconds from the first reading on: what starts has started by then
WARM_UP = 4  # the part of the readings, and of the calls, that is left out
FULL_RUNS = 3  # of the collector: garbage is gone
FADING = 0.5  # of the earlier rate: what falls below it fills
MEMORY = (BLOCKS, MALLOC)
SECOND = "second"  # where no calls are counted
VECTORIZER = "vectorizer"
DESCRIPTORS = "descriptors"
CHILDREN = "children"
#: Frameworks keep the figures of the last 100 episodes: until then, they grow steadily.
HORIZON = {"reset": 200, "step": 200, "instance": 20, VECTORIZER: 12, SECOND: 20}
LEAST = {BLOCKS: 1000, MALLOC: 1 << 18, WRITTEN: meter_of(CHILD_MEMORY).least}
LONGEST = HORIZON[SECOND] * 32 / 21  # seconds, until so many lie between the first and last floor
UNITS = {BLOCKS: BLOCK, MALLOC: BYTE, WRITTEN: BYTE}
EPISODES = 2  # resets, between which a whole episode lies, and what it keeps is let go
CLEAR = 3 * WINDOWS  # resets, until each stretch has a reading soon after one
BLOCK_SIZE = 64  # bytes that a block of Python's has, about: for a comparison only
ROUGH = 0.2  # how much steadier a rate has to be to be preferred

GROWS, FLAT, OPEN = "grows", "flat", "not known"
PER = ("reset", "step", VECTORIZER, "instance")


@dataclass(frozen=True)
class TrainingGrowth:
    """One meter of one process. `rate` is the rise for each `per`, of which there were `over`;
    `rise` all of it. `shortage` is what there was too little of where it is not known. `parts` are
    kinds of what grows, and the rise of each.
    """

    meter: str
    verdict: str
    per: str = ""
    rate: float = 0.0
    rise: int = 0
    over: int = 0
    steps: int = 0
    shortage: Shortage | None = None
    parts: tuple[tuple[str, int], ...] = ()

    @property
    def reason(self) -> str:
        """The reason why it is not known, or nothing."""
        return sentence([self.shortage]) if self.shortage else ""

    @property
    def may_grow(self) -> bool:
        """True if it grows, or would once the collector ran: its containers are searched."""
        waits = self.shortage is not None and self.shortage.unit == RUN
        return self.verdict == GROWS or waits


def growths(readings: Sequence[Reading], attached: bool = False) -> tuple[TrainingGrowth, ...]:
    """Of each meter that was read."""
    return tuple(
        growth(readings, meter, attached)
        for meter in METERS
        if any(getattr(reading, meter) is not None for reading in readings)
    )


def growth(readings: Sequence[Reading], meter: str, attached: bool = False) -> TrainingGrowth:
    """Of one meter: with the calls of environments, or with time in a process of a training that
    was `attached` to.
    """
    known = [reading for reading in readings if getattr(reading, meter) is not None]
    settled = _settled(known)
    enough = FEWER if meter == CHILDREN and not attached else ENOUGH
    few = _few_readings(known, settled, enough) or _short_span(known)
    if few:
        return TrainingGrowth(
            meter, OPEN, shortage=replace(few, least=LONGEST if attached else SHORTEST)
        )
    floors = _floors(settled, meter)
    rises = [_value(now, meter) - _value(then, meter) for then, now in pairwise(floors)]
    steps = floors[-1].steps - floors[0].steps
    causes = (SECOND,) if attached else PER
    per, over = _cause(floors, rises, causes)
    if not per:
        count = max(sum(made > 0 for made in _made(floors, cause)) for cause in causes)
        return TrainingGrowth(meter, OPEN, shortage=_lacking(STRETCH, count, WINDOWS - 1, known))
    if per == SECOND and over < HORIZON[SECOND]:
        return TrainingGrowth(meter, OPEN, per, over=over, shortage=_few_calls(per, over, known))
    rise = sum(rises)
    if not _rises(rises) or _fades(floors, rises, per):
        hidden = None if attached else _hidden(meter, rise, floors, known)
        verdict = OPEN if hidden else FLAT
        return TrainingGrowth(meter, verdict, per, over=over, steps=steps, shortage=hidden)
    lacking = (
        _few_calls(per, over, known)
        or _little(meter, rise, known)
        or _one_episode(meter, per, floors, known)
        or _garbage(meter, settled, known)
    )
    verdict = OPEN if lacking else GROWS
    parts = _parts(meter, floors)
    return TrainingGrowth(meter, verdict, per, rise / over, rise, over, steps, lacking, parts)


def _parts(meter: str, floors: Sequence[Reading]) -> tuple[tuple[str, int], ...]:
    """Of descriptors, how many pipes and sockets more there are, where that is known."""
    first, last = floors[0], floors[-1]
    if meter != DESCRIPTORS or None in (first.pipes, last.pipes, first.sockets, last.sockets):
        return ()
    rises = [(name, (getattr(last, name) - getattr(first, name))) for name in ("pipes", "sockets")]
    return tuple((name, rise) for name, rise in rises if rise > 0)


def held(series: Series, attached: bool = False) -> tuple[TrainingHolder, ...]:
    """Containers of a process that got longer; none where its memory does not grow in the end: what
    filled at the start is full.
    """
    memory = [growth for growth in growths(series.readings, attached) if growth.meter in MEMORY]
    is_full = bool(memory) and all(growth.verdict == FLAT for growth in memory)
    return () if is_full else tuple(each for each in series.holders if not each.is_rare)


def _lacking(unit: str, count: int, needed: int, readings: Sequence[Reading]) -> Shortage | None:
    """Return the shortage of a unit; None if there is enough."""
    if count >= needed:
        return None
    first, last = (readings[0].t, readings[-1].t) if readings else (0.0, 0.0)
    return Shortage(unit, count, needed, last, first)


def _few_readings(
    known: Sequence[Reading], settled: Sequence[Reading], enough: int
) -> Shortage | None:
    least = enough - enough // WARM_UP
    few = _lacking(READING, len(known), enough, known)
    return few or _lacking(SETTLED, len(settled), least, known)


def _short_span(known: Sequence[Reading]) -> Shortage | None:
    return _lacking(SPAN, int(known[-1].t - known[0].t), SHORTEST, known)


def _few_calls(per: str, over: int, known: Sequence[Reading]) -> Shortage | None:
    return _lacking(per, over, HORIZON[per], known)


def _little(meter: str, rise: int, known: Sequence[Reading]) -> Shortage | None:
    return _lacking(UNITS[meter], rise, LEAST[meter], known) if meter in LEAST else None


def _one_episode(
    meter: str, per: str, floors: Sequence[Reading], known: Sequence[Reading]
) -> Shortage | None:
    """Return the shortage of episodes if memory that rises with steps can be what one long episode
    keeps until its reset().
    """
    return _few_episodes(EPISODES, floors, known) if meter in MEMORY and per == "step" else None


def _hidden(
    meter: str, rise: int, floors: Sequence[Reading], known: Sequence[Reading]
) -> Shortage | None:
    """Return the shortage of episodes that may hide growth with resets: stretches without one, or
    memory that the episodes keep. It rises all the same, or too little to be seen beside them.
    """
    rare = meter in MEMORY and min(_made(floors, "reset")) <= 0
    return _few_episodes(CLEAR, floors, known) if rare or rise >= LEAST.get(meter, 1) else None


def _few_episodes(
    needed: int, floors: Sequence[Reading], known: Sequence[Reading]
) -> Shortage | None:
    if floors[-1].steps - floors[0].steps >= EPISODE_STEPS:
        return None
    return _lacking(EPISODE, floors[-1].resets - floors[0].resets, needed, known)


def _garbage(meter: str, settled: Sequence[Reading], known: Sequence[Reading]) -> Shortage | None:
    """Return the shortage of full collections if the growth can be garbage: no full runs, while
    containers were made that were not freed. What one look at the containers has freed of them
    meanwhile does not count: between two of them, garbage waits again.
    """
    rises = [now.tracked - then.tracked for then, now in pairwise(_floors(settled, "tracked"))]
    if meter not in MEMORY or sum(rise for rise in rises if rise > 0) < WINDOWS:
        return None
    return _lacking(RUN, settled[-1].full - settled[0].full, FULL_RUNS, known)


def _value(reading: Reading, meter: str) -> int:
    return int(getattr(reading, meter))


def _settled(readings: Sequence[Reading]) -> Sequence[Reading]:
    """Readings after the warm-up: the first quarter of them, and of the calls."""
    if not readings:
        return ()
    calls = [reading.made + reading.resets + reading.steps for reading in readings]
    done = calls if calls[-1] else [reading.t for reading in readings]
    warm = sum(item < done[-1] / WARM_UP for item in done)
    return readings[max(len(readings) // WARM_UP, warm) :]


def _floors(settled: Sequence[Reading], meter: str) -> list[Reading]:
    """The least reading of each stretch."""
    cuts = [round(at * len(settled) / WINDOWS) for at in range(WINDOWS + 1)]
    return [
        min(settled[a:b], key=lambda reading: _value(reading, meter)) for a, b in pairwise(cuts)
    ]


def _rises(rises: Sequence[int]) -> bool:
    return all(rise > 0 for rise in rises)


def _cause(
    floors: Sequence[Reading], rises: Sequence[int], causes: Sequence[str]
) -> tuple[str, int]:
    """Of some calls, those with which it rises most steadily, and how many there were of them."""
    best, steadiest, over = "", float("inf"), 0.0
    for per in causes:
        made = _made(floors, per)
        if min(made) <= 0:
            continue
        rates = [rise / calls for rise, calls in zip(rises, made, strict=True)]
        level = mean(rates)
        spread = pstdev(rates) / abs(level) if level else float("inf")
        if not best or spread < steadiest * (1 - ROUGH):
            best, steadiest, over = per, spread, sum(made)
    return best, int(over)


def _made(floors: Sequence[Reading], per: str) -> list[float]:
    return [_calls(now, per) - _calls(then, per) for then, now in pairwise(floors)]


def _calls(reading: Reading, per: str) -> float:
    return {
        "reset": reading.resets,
        "step": reading.steps,
        "instance": reading.made,
        VECTORIZER: reading.vectorizers,
        SECOND: reading.t,
    }[per]


def _fades(floors: Sequence[Reading], rises: Sequence[int], per: str) -> bool:
    """Return True if the rate of the second half is clearly less than that of the first."""
    half = len(rises) // 2
    calls = [_calls(floor, per) for floor in floors]
    early = sum(rises[:half]) / (calls[half] - calls[0])
    late = sum(rises[half:]) / (calls[-1] - calls[half])
    return late < FADING * early


def weight(growth: TrainingGrowth) -> float:
    """Bytes of memory in ten million steps, at this rate."""
    size = BLOCK_SIZE if growth.meter == BLOCKS else 1 if growth.meter == MALLOC else 0
    return growth.rise * size * 1e7 / growth.steps if growth.steps else 0.0
