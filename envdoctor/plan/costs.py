"""The cost of one call of each operation. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import astuple

from envdoctor.model.fast_dataclass import dataclass
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
    """Seconds of the operations of the last plain life: the least of its instances, since the first
    one imports, and any of them may have waited for a machine that does other things.
    """
    life_traces = [trace for trace in traces if trace.scenario.name == "life"]
    if not life_traces:
        return None
    ended = [event for event in life_traces[-1].records(VerbRecord) if event.state == "ended"]
    made = [at for at, event in enumerate(ended) if event.verb == "make"]
    if not made:
        return None
    each = [_of_instance(ended[at:end]) for at, end in zip(made, [*made[1:], None], strict=True)]
    return Costs(*map(min, zip(*map(astuple, each), strict=True)))


def _of_instance(calls: Sequence[VerbRecord]) -> Costs:
    steps = next((event.steps for event in reversed(calls) if event.steps), 1)
    return Costs(
        _seconds(calls, "make"),
        _seconds(calls, "reset"),
        _seconds(calls, "step") / max(1, steps),
        _seconds(calls, "close"),
    )


def _seconds(calls: Iterable[VerbRecord], name: str) -> float:
    """Return the seconds of all calls of a verb, with or without an argument."""
    return sum(event.seconds for event in calls if event.verb.partition(":")[0] == name)
