"""Positions of a scenario's moments on the page.

A worker that takes two seconds to start and a reset of a millisecond share a page only where the
columns are not to scale: each verb has its own, wider where it took longer, with its time written
in it.
"""

from __future__ import annotations

import math

from envdoctor.analysis.timeline import Timeline
from envdoctor.model.fast_dataclass import dataclass

BETWEEN = 0.15  # the width of what is read between two verbs, where a verb of no time has 1


@dataclass(frozen=True)
class Scale:
    """The position of a moment, from 0 to 1: edges of the columns in seconds, and as shares of the
    width.
    """

    seconds: tuple[float, ...]
    shares: tuple[float, ...]

    def __call__(self, moment: float) -> float:
        """The share of the width at which a moment (in seconds) stands."""
        for at in range(1, len(self.seconds)):
            if moment <= self.seconds[at]:
                began, ended = self.seconds[at - 1], self.seconds[at]
                within = (moment - began) / (ended - began) if ended > began else 1.0
                return self.shares[at - 1] + max(0.0, within) * (
                    self.shares[at] - self.shares[at - 1]
                )
        return 1.0


def scale(line: Timeline) -> Scale:
    """Each verb, and what was read between two, as a column that is wider where it took longer."""
    edges, weights = [0.0], [0.0]
    for verb in line.verbs:
        ended = line.seconds if verb.ended is None else verb.ended
        if verb.began > edges[-1]:
            edges.append(verb.began)
            weights.append(BETWEEN)
        edges.append(max(ended, edges[-1]))
        weights.append(1 + math.log10(1 + 1000 * max(0.0, ended - verb.began)))
    if line.seconds > edges[-1]:
        edges.append(line.seconds)
        weights.append(BETWEEN)
    total, reached = sum(weights), 0.0
    shares = []
    for weight in weights:
        reached += weight
        shares.append(reached / total)
    return Scale(tuple(edges), tuple(shares))


def duration(seconds: float) -> str:
    """`158 ms`, `2.3 s`, `40 µs`."""
    if seconds >= 1:
        return f"{seconds:.1f} s"
    return f"{seconds * 1000:.0f} ms" if seconds >= 0.001 else f"{seconds * 1e6:.0f} µs"
