"""The gain of one more worker: steps per second, seconds to start and memory, from traces. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

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
    """Return the measurements of a trace."""
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


def _number(values: Mapping[str, float], name: str) -> float:
    """A number of an event; 0 where it has none."""
    return float(values.get(name) or 0.0)


def _why(trace: Trace) -> str:
    """Return the reason why it did not reach its steps, in a few words."""
    for event in trace.records(VerbRecord, state="raised"):
        error = kind_of(event.error) or "an error"
        return f"{event.verb.partition(':')[0]}() raises {error.rpartition('.')[2]}"
    return trace.outcome.reason or trace.outcome.kind


def enough(rows: Sequence[Measured]) -> Measured | None:
    """Of one place, the number of workers after which more do not pay."""
    measured: Measured | None = None
    for item in sorted(
        (row for row in rows if not row.failed), key=lambda measured: measured.workers
    ):
        if measured is not None and item.rate < measured.rate * PAYS:
            return measured
        measured = item
    return measured


def best(rows: Iterable[Measured]) -> Measured | None:
    """The launch to begin with: the fastest place at its number of workers; of those that are about
    as fast the one with the fewest workers and the least memory, and no manager at all if that is
    as fast.
    """
    places: dict[tuple[str, str | None], list[Measured]] = {}
    for row in rows:
        places.setdefault(row.place, []).append(row)
    candidates = [measured for several in places.values() if (measured := enough(several))]
    if not candidates:
        return None
    fastest = max(candidate.rate for candidate in candidates)
    alike = [candidate for candidate in candidates if candidate.rate * PAYS >= fastest]
    return min(
        alike,
        key=lambda measured: (
            measured.manager != DIRECT,
            measured.workers,
            measured.private or 0,
            -measured.rate,
        ),
    )
