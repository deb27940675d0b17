"""The cost of workers, as lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from envdoctor.model.report import DrawingReport, WorkerCost
from envdoctor.model.units import size
from envdoctor.reporters._lines import Line, line


def one_worker(costs: Sequence[WorkerCost]) -> Iterator[Line]:
    """One line on the lightest: what a worker takes, and how many to begin with."""
    if not costs:
        return
    cost = min(costs, key=lambda worker_cost: (worker_cost.uss, worker_cost.seconds))
    yield line(
        f"  A worker takes {size(cost.uss)} and {cost.seconds / cost.workers:.2f} s to start"
        f" ({cost.manager}, {cost.start_method}){suggestion(cost)}.",
        hang=4,
    )


def drawn(report: DrawingReport) -> str:
    """`an open instance that has drawn takes 107.6 MiB of native memory (EGL context of mujoco)`,
    and what close() makes of that.
    """
    back = size(report.given_back) if report.given_back else "nothing"
    return (
        f"an open instance that has drawn takes {size(report.acquired)} of native memory"
        f" ({report.context}); close() gives {back} back"
    )


def suggestion(cost: WorkerCost) -> str:
    """`: 4 workers to begin with, one a core; memory holds 120`, or nothing."""
    if cost.suggested is None:
        return ""
    by_cores = cost.cores is not None and cost.suggested == cost.cores
    why = "one a core" if by_cores else "as many as memory holds"
    holds = f"; memory holds {cost.fit:,}" if by_cores and cost.fit is not None else ""
    noun = "worker" if cost.suggested == 1 else "workers"
    return f": {cost.suggested} {noun} to begin with, {why}{holds}"


def worker_costs(costs: Sequence[WorkerCost]) -> Iterator[Line]:
    """One paragraph: `A worker takes 14 MiB of its own and 0.1 s (gymnasium-async, fork); ...`,
    and how many the machine holds.
    """
    if not costs:
        return
    each = "; ".join(
        f"{size(cost.uss)}, {cost.seconds / cost.workers:.2f} s ({cost.manager},"
        f" {cost.start_method})"
        for cost in costs
    )
    fits = [cost.fit for cost in costs if cost.fit is not None]
    holds = (
        f" Of the largest, memory holds {min(fits)}; there are {costs[0].cores} cores."
        if fits
        else ""
    )
    yield line(f"  A worker takes, of its own (USS) and to start: {each}.{holds}", hang=4)
