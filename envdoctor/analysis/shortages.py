"""Shortages: too little of something to judge the growth of a training, and how much is needed."""

from __future__ import annotations

import math
from collections.abc import Sequence

from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.units import duration, size

#: Units besides those of calls: "reset", "step", "instance" and "second".
READING, SETTLED, SPAN, STRETCH = "reading", "settled", "span", "stretch"
EPISODE, BYTE, BLOCK, RUN, LOOK = "episode", "byte", "block", "run", "look"
EPISODE_STEPS = 100_000  # without a reset() between: longer than nearly all episodes

_FILLS = " to tell growth from a buffer that fills"
#: By unit: the noun, its plural, and what so much of it is needed for.
_WORDS = {
    READING: ("reading", "readings", ""),
    SETTLED: ("reading after the warm-up", "readings after the warm-up", ""),
    SPAN: ("second of readings", "seconds of readings", ""),
    STRETCH: ("stretch with calls", "stretches with calls", ""),
    EPISODE: (
        "reset followed",
        "resets followed",
        f" (or {EPISODE_STEPS:,} steps) to tell growth from what an episode keeps",
    ),
    BLOCK: ("block more", "blocks more", _FILLS),
    RUN: (
        "full run of the collector",
        "full runs of the collector",
        " to tell growth from garbage that waits for it",
    ),
    LOOK: ("look at the containers", "looks at the containers", " where memory grows"),
    "reset": ("reset followed", "resets followed", ""),
    "step": ("step followed", "steps followed", ""),
    "instance": ("new instance followed", "new instances followed", ""),
    "vectorizer": ("new vectorizer followed", "new vectorizers followed", ""),
    "second": ("second followed", "seconds followed", ""),
}
_BY_LENGTH = frozenset(
    {READING, SETTLED, EPISODE, "reset", "step", "instance", "vectorizer", "second"}
)


@dataclass(frozen=True)
class Shortage:
    """Of a unit, `count` were seen within the first `seconds` of a training, and `needed` are. The
    first reading came after `start` seconds; a verdict takes `least` from then on.
    """

    unit: str
    count: int
    needed: int
    seconds: float = 0.0
    start: float = 0.0
    least: float = 0.0

    @property
    def share(self) -> float:
        """The part of what is needed that was there."""
        return self.count / self.needed

    @property
    def enough(self) -> float | None:
        """Seconds that would give as many at the same pace; None where that is not known."""
        seconds = self.seconds - self.start
        if self.unit == SPAN:
            return self.start + self.needed
        if not self.count or not seconds or self.unit not in _BY_LENGTH:
            return None
        return self.start + max(self.least, seconds / self.share)


def sentence(shortages: Sequence[Shortage]) -> str:
    """`7 to 12 readings in 10 s, at least 32 are needed; about 46 s would give them`: of one unit,
    in one process or in several, of which the worst says how long it takes.
    """
    worst = min(shortages, key=lambda shortage: shortage.share)
    most = max(shortage.count for shortage in shortages)
    _, _, purpose = _WORDS.get(worst.unit, ("", "", _FILLS))
    amount = f"{worst.count:,} to " if most > worst.count else ""
    observed = f"{amount}{_amount(most, worst.unit)}"
    needed = size(worst.needed) if worst.unit == BYTE else f"{worst.needed:,}"
    text = f"{observed} in {duration(worst.seconds)}, at least {needed} are needed{purpose}"
    if worst.enough is None:
        return text
    return f"{text}; about {duration(math.ceil(worst.enough))} would give them"


def _amount(count: int, unit: str) -> str:
    if unit == BYTE:
        return f"{size(count)} more"
    noun, plural, _ = _WORDS[unit]
    return f"{count:,} {noun if count == 1 else plural}"
