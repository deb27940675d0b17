"""What one call of each operation takes. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from envdoctor.model.records import VerbRecord
from envdoctor.model.trace import Trace


@dataclass(frozen=True)
class Costs:
    """Seconds of one call of each operation; `close` is what is left of a cycle."""

    create: float
    reset: float
    step: float
    close: float = 0.0

    def cycle(self, steps: int) -> float:
        """Seconds of a whole lifecycle."""
        return self.create + self.close + self.episode(steps)

    def episode(self, steps: int) -> float:
        """Seconds of a reset with its steps."""
        return self.reset + self.step * steps


def costs_of(traces: Iterable[Trace]) -> Costs | None:
    """What the operations of the last plain life took."""
    lives = [trace for trace in traces if trace.scenario.name == "life"]
    if not lives:
        return None
    ended = [event for event in lives[-1].records(VerbRecord) if event.state == "ended"]
    last = max((at for at, event in enumerate(ended) if event.verb == "make"), default=None)
    if last is None:
        return None
    calls = ended[last:]
    steps = next((event.steps for event in reversed(calls) if event.steps), 1)
    return Costs(
        _seconds(calls, "make"),
        _seconds(calls, "reset"),
        _seconds(calls, "step") / max(1, steps),
        _seconds(calls, "close"),
    )


def _seconds(calls: Iterable[VerbRecord], name: str) -> float:
    """What all calls of a verb took, of one with an argument, too."""
    return sum(event.seconds for event in calls if event.verb.partition(":")[0] == name)
