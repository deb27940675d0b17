"""Costs of workers, from traces."""

from __future__ import annotations

from dataclasses import replace

import pytest

from envdoctor.analysis.worker_cost import cheapest, costs
from envdoctor.model.facts import Machine
from envdoctor.model.report import WorkerCost
from envdoctor.model.trace import Trace
from envdoctor.model.units import size
from envdoctor.reporters._costs import one_worker, suggestion
from envdoctor.rules.engine.examples import fact, instance, trace, verb

GIB = 2**30


def life(
    method: str | None = "fork", uss: int = GIB, seconds: float = 2.0, control: bool = False
) -> Trace:
    events = [
        verb("make", "began"),
        instance("made", t=0.1),  # the hidden one is no worker's
        *(instance("made", pid=pid, parent=False, t=seconds * pid) for pid in (1, 2)),
        verb("step:20"),
        fact(
            "worker-memory",
            [{"pid": pid, "uss": uss * pid, "pss": 2 * uss, "rss": 3 * uss} for pid in (1, 2)],
        ),
    ]
    return trace(*events, manager="gymnasium-async", start_method=method, control=control)


def test_the_largest_counts_and_the_slowest() -> None:
    assert costs([life()], Machine(cores=8, memory=7 * GIB)) == (
        WorkerCost("gymnasium-async", "fork", 2, 4.0, 2 * GIB, 2 * GIB, 3, 8),
    )


def test_managers_without_workers_cost_nothing() -> None:
    assert (
        costs(
            [life(None), life(control=True), trace(verb("make"), start_method="spawn")], Machine()
        )
        == ()
    )


def test_a_machine_of_which_nothing_is_known() -> None:
    (cost,) = costs([life()], Machine())
    assert (cost.fit, cost.cores) == (None, None)


def test_the_cheapest() -> None:
    assert cheapest([]) is None
    found = cheapest(
        costs([life("spawn", 2 * GIB), life("fork"), life("forkserver", seconds=1.0)], Machine())
    )
    assert found is not None
    assert found.start_method == "forkserver"


@pytest.mark.parametrize(
    ("count", "text"), [(GIB, "1.0 GiB"), (14 * 2**20, "14.0 MiB"), (0, "0 bytes")]
)
def test_sizes(count: int, text: str) -> None:
    assert size(count) == text


@pytest.mark.parametrize(
    ("fit", "cores", "said"),
    [
        (120, 4, ": 4 workers to begin with, one a core; memory holds 120"),
        (3, 8, ": 3 workers to begin with, as many as memory holds"),
        (0, 8, ": 1 worker to begin with, as many as memory holds"),
        (None, 2, ": 2 workers to begin with, one a core"),
        (None, None, ""),
    ],
)
def test_suggested_number_of_workers_fits_cores_and_memory(
    fit: int | None, cores: int | None, said: str
) -> None:
    cost = WorkerCost("gymnasium-async", "fork", 2, 0.4, 14 * 2**20, 2**25, fit, cores)
    assert suggestion(cost) == said
    (told,) = one_worker([replace(cost, uss=GIB), cost])
    assert "".join(text for text, _ in told.pieces) == (
        f"  A worker takes 14.0 MiB and 0.20 s to start (gymnasium-async, fork){said}."
    )
