"""The cost of a worker, and the number of workers that this machine holds.

What it does
    Reads what each worker holds after its steps, with the processes that it started: the private
    memory (USS) that would come back if it ended, which is what one more worker costs. It is
    reported where fewer workers fit into the memory that may be used (four fifths of what is
    available) than there are cores, or where one holds more than 1 GiB, once, for the manager and
    start method under which it holds least. The numbers of all of them are in the JSON document,
    and in the report with -v.

Why it matters
    A training run is given as many workers as there are cores. When they do not fit, the kernel
    kills one after hours, and all that is seen is an EOFError.

How to fix it
    Start no more than fit, and load what all of them only read before they are forked, where they
    share it:

        MAP = load_map()                 # at the top of the module

        envs = gymnasium.vector.AsyncVectorEnv([make_env] * 6, context="fork")
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from envdoctor.analysis.worker_cost import cheapest, costs
from envdoctor.model.events import Event
from envdoctor.model.evidence import read_evidence
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import ENVIRONMENT, NOTE, Finding
from envdoctor.model.report import WorkerCost
from envdoctor.model.trace import Trace
from envdoctor.model.units import size
from envdoctor.rules.engine.examples import fact, instance, raised, trace, vector_view, verb
from envdoctor.rules.engine.measures import Evidence
from envdoctor.rules.engine.registry import EVERYTHING, VECTOR_ONLY, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.remedies.launch_lines import launch_code, name_place

LARGE = 2**30  # bytes; what a worker of a usual environment does not reach with all its libraries
WORKERS = ("fork", "forkserver", "spawn")


@dataclass(frozen=True)
class WorkerCosts:
    """Evidence: a worker's cost in each place."""

    workers: tuple[WorkerCost, ...] = ()


def most_of_a_worker(evidence: Evidence) -> Mapping[str, float]:
    """Return the largest worker's own memory."""
    workers = read_evidence(WorkerCosts, evidence).workers
    return {"bytes of a worker": max(cost.uss for cost in workers)} if workers else {}


@rule(
    "VEC007",
    "memory-per-worker",
    severity=NOTE,
    where=VECTOR_ONLY,
    verb="step",
    start_methods=WORKERS,
    blames_itself=True,
    looks_at={"life": "step"},
    counts=most_of_a_worker,
    also_reads=(EVERYTHING,),
)
def memory_per_worker(view: View) -> Iterator[Finding]:
    known = costs(view.other_places, view.survey.machine)
    least = cheapest(known)
    if (
        least is None
        or (least.manager, least.start_method) != (view.manager, view.start_method)
        or not matters(least)
    ):
        return
    most = (
        max(1, min(number for number in (least.fit, least.cores) if number is not None))
        if least.fit is not None
        else 1
    )
    yield memory_per_worker.finding(
        f"a worker holds {size(least.uss)} of its own (USS) and takes"
        f" {least.seconds / least.workers:.2f} s to start{fits(least)}",
        remedy(view, most, len(known) > 1),
        commands=launch_code(
            (least.manager, least.start_method), "make_env", most, api=view.survey.api
        ),
        location=view.locate("__init__"),
        evidence={"workers": [vars(cost) for cost in known]},
        blame=ENVIRONMENT,
    )


def matters(cost: WorkerCost) -> bool:
    """Return True if memory bounds the number of workers, or will on another machine."""
    scarce = cost.fit is not None and cost.cores is not None and cost.fit < cost.cores
    return scarce or cost.uss > LARGE


def fits(cost: WorkerCost) -> str:
    """`; 3 fit into memory here, which has 8 cores`."""
    return (
        f"; {cost.fit} fit into the memory of this machine, which has {cost.cores} cores"
        if cost.fit is not None
        else ""
    )


def remedy(view: View, most: int, compared: bool) -> str:
    """Say how many to start, how, and what would make them smaller."""
    least = ", where a worker holds least of all that were tried" if compared else ""
    shared = (
        f"load at the top of the module what {view.class_name} only reads: forked workers share it"
    )
    both = view.direct.trace("two-at-once")
    alone = both is not None and bool(both.verbs("make", "raised") or both.verbs("reset", "raised"))
    others = ", ".join(view.framework.in_process)
    text = "" if alone or not others else f"; instances in one process ({others}) share it too"
    return (
        f"start no more than {most} here with"
        f" {name_place((view.manager, view.start_method))}{least}."
        f" {shared[0].upper()}{shared[1:]}{text}."
    )


def _life(start_method: str, uss: int, seconds: float = 1.0) -> Trace:
    events = [
        verb("make", "began"),
        *(instance("made", pid=pid, parent=False, t=seconds * pid) for pid in (1, 2)),
        verb("make"),
        verb("step:20"),
        fact("worker-memory", [{"pid": pid, "uss": uss, "pss": uss, "rss": uss} for pid in (1, 2)]),
    ]
    return trace(*events, manager="gymnasium-async", start_method=start_method)


def _places(
    start_method: str, *traces: Trace, cores: int = 8, memory: int = 16 * LARGE, alone: bool = False
) -> View:
    view = vector_view(start_method=start_method, machine={"cores": cores, "memory": memory})
    two: list[Event] = (
        [verb("make"), verb("make", "raised", at=1, error=raised())]
        if alone
        else [verb("make"), verb("make", at=1)]
    )
    own = tuple(life for life in traces if life.scenario.start_method == start_method)
    return View(
        view.subject,
        view.manager,
        start_method,
        own,
        view.survey,
        other_places=(*traces, trace(*two, name="two-at-once")),
    )


_FORK, _SPAWN = _life("fork", 3 * LARGE), _life("spawn", 5 * LARGE, 4.0)

EXAMPLES = (
    Example(
        "fewer fit than there are cores",
        _places("fork", _FORK, _SPAWN, cores=8),
        "a worker holds 3.0 GiB of its own (USS) and takes 1.00 s to start; 5 fit into the"
        " memory of this machine, which has 8 cores",
    ),
    Example("told once, where it is least", _places("spawn", _FORK, _SPAWN, cores=8)),
    Example(
        "large, though they fit",
        _places("spawn", _SPAWN, cores=2, alone=True),
        "a worker holds 5.0 GiB of its own (USS) and takes 4.00 s to start; 3 fit into the"
        " memory of this machine, which has 2 cores",
    ),
    Example("a usual one", _places("fork", _life("fork", LARGE // 50))),
    Example(
        "nothing tells what they hold",
        _places("fork", trace(verb("step:20"), manager="gymnasium-async", start_method="fork")),
    ),
)
