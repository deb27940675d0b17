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
    seconds: dict[str, float] = {}
    steps = 1
    for event in ended[last:]:
        name = event.verb.partition(":")[0]
        seconds[name] = seconds.get(name, 0.0) + event.seconds
        steps = int(event.steps or steps)
    return Costs(
        seconds.get("make", 0.0),
        seconds.get("reset", 0.0),
        seconds.get("step", 0.0) / max(1, steps),
        seconds.get("close", 0.0),
    )
