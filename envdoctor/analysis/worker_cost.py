"""The cost of a worker under each manager, and how many of them a machine holds: from traces, place
by place.
"""

from __future__ import annotations

from collections.abc import Iterable

from envdoctor.model.facts import Machine, WorkersInMemory
from envdoctor.model.records import InstanceRecord
from envdoctor.model.report import WorkerCost
from envdoctor.model.trace import Trace


def costs(traces: Iterable[Trace], machine: Machine) -> tuple[WorkerCost, ...]:
    """One entry for each place whose workers came up and played."""
    life_traces = (
        trace
        for trace in traces
        if trace.scenario.traits.plain
        and trace.scenario.start_method
        and not trace.scenario.control
    )
    worker_costs = (_cost(trace, machine) for trace in life_traces if trace.verbs("step", "ended"))
    return tuple(cost for cost in worker_costs if cost is not None)


def _cost(trace: Trace, machine: Machine) -> WorkerCost | None:
    memory = (trace.fact(WorkersInMemory) or WorkersInMemory()).workers
    seconds = seconds_to_start(trace)
    if not memory or seconds is None:
        return None
    uss = max(worker.uss for worker in memory)
    fit = machine.memory // uss if machine.memory and uss else None
    manager, method = trace.scenario.manager, str(trace.scenario.start_method)
    return WorkerCost(
        manager,
        method,
        len(memory),
        seconds,
        uss,
        max(worker.pss for worker in memory),
        fit,
        machine.cores,
    )


def seconds_to_start(trace: Trace) -> float | None:
    """From the launch to the moment when the last worker had its instance."""
    launches = trace.verbs("make", "began")
    made = [event.t for event in trace.records(InstanceRecord, what="made", parent=False)]
    return max(0.0, max(made) - launches[0].t) if launches and made else None


def cheapest(known: Iterable[WorkerCost]) -> WorkerCost | None:
    """The place where a worker holds least; of equals, where they start fastest."""
    return min(known, key=lambda cost: (cost.uss, cost.seconds), default=None)
