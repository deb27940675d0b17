"""What workers cost, as lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from envdoctor.capacity import size
from envdoctor.model.report import WorkerCost
from envdoctor.reporters._lines import Line, line


def worker_costs(costs: Sequence[WorkerCost]) -> Iterator[Line]:
    """One paragraph: `A worker takes 14 MiB of its own and 0.1 s (gymnasium-async, fork); ...`, and how many the machine holds."""
    if not costs:
        return
    each = "; ".join(f"{size(cost.uss)}, {cost.seconds / cost.workers:.2f} s ({cost.manager}, {cost.start_method})" for cost in costs)
    fits = [cost.fit for cost in costs if cost.fit is not None]
    holds = f" Of the largest, memory holds {min(fits)}; there are {costs[0].cores} cores." if fits else ""
    yield line(f"  A worker takes, of its own (USS) and to start: {each}.{holds}", hang=4)
