"""What one more worker brings: steps per second, seconds to start and memory, from traces. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from envdoctor.analysis.worker_cost import seconds_to_start
from envdoctor.model.errors import kind_of
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.records import VerbRecord
from envdoctor.model.scenario import DIRECT
from envdoctor.model.trace import FINISHED, Trace

#: A doubling that brings less than this factor is not worth its memory; rates of two runs differ by
#: less than that.
PAYS = 1.15


@dataclass(frozen=True)
class Measured:
    """One launch. `rate` is steps of environments per second, all workers together; `private` are
    bytes that the workers hold for themselves, `shared` their share of what several processes hold;
    None where the instances live in the parent. `failed` says why numbers are missing.
    """

    manager: str
    start_method: str | None
    workers: int
    seconds: float = 0.0
    rate: float = 0.0
    private: int | None = None
    shared: int | None = None
    failed: str = ""

    @property
    def place(self) -> tuple[str, str | None]:
        """The manager and its start method."""
        return self.manager, self.start_method


def measured(trace: Trace) -> Measured:
    """What a trace shows."""
    scenario = trace.scenario
    workers = 1 if scenario.manager == DIRECT else scenario.workers
    launch, steps = trace.verbs("make", "ended"), trace.verbs("step", "ended")
    if trace.outcome.kind != FINISHED or not launch or len(steps) < 2:
        return Measured(*scenario.place, workers, failed=_why(trace))
    *_, last = steps
    seconds = last.seconds
    memory = trace.fact("worker-memory")
    private = sum(_number(worker, "uss") for worker in memory) if memory else None
    held = sum(_number(worker, "pss") for worker in memory) if memory else None
    started = seconds_to_start(trace)
    return Measured(
        *scenario.place,
        workers,
        launch[0].seconds if started is None else started,
        last.steps * workers / seconds if seconds else 0.0,
        None if private is None else int(private),
        None if private is None or held is None else int(held - private),
    )


def _number(values: Mapping[str, Any], name: str) -> float:
    """A number of an event; 0 where it has none."""
    return float(values.get(name) or 0.0)


def _why(trace: Trace) -> str:
    """Why it did not come to its steps, in a few words."""
    for event in trace.records(VerbRecord, state="raised"):
        error = kind_of(event.error) or "an error"
        return f"{event.verb.partition(':')[0]}() raises {error.rpartition('.')[2]}"
    return trace.outcome.reason or trace.outcome.kind


def enough(rows: Sequence[Measured]) -> Measured | None:
    """Of one place, the number of workers after which more do not pay."""
    found: Measured | None = None
    for one in sorted((one for one in rows if not one.failed), key=lambda one: one.workers):
        if found is not None and one.rate < found.rate * PAYS:
            return found
        found = one
    return found


def best(rows: Iterable[Measured]) -> Measured | None:
    """The launch to begin with: the fastest place at its number of workers; of those that are about
    as fast the one with the fewest workers and the least memory, and no manager at all if that is
    as fast.
    """
    places: dict[tuple[str, str | None], list[Measured]] = {}
    for one in rows:
        places.setdefault(one.place, []).append(one)
    candidates = [found for several in places.values() if (found := enough(several))]
    if not candidates:
        return None
    fastest = max(one.rate for one in candidates)
    alike = [one for one in candidates if one.rate * PAYS >= fastest]
    return min(
        alike, key=lambda one: (one.manager != DIRECT, one.workers, one.private or 0, -one.rate)
    )
