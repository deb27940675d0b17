"""Each worker has a GPU context of its own: what that costs.

What it does
    Asks NVIDIA's driver which workers have memory on a GPU after their steps, and how much. It is a
    note, told once, for the first manager and start method under which workers have any. It needs
    nvidia-ml-py in the environment's interpreter.

Why it matters
    A context costs some hundred MiB before the first tensor, in each worker. Sixteen workers fill a
    small GPU with contexts alone, and the model that is trained there finds no room.

How to fix it
    Where only the training loop needs the GPU, hide it from the workers before PyTorch or JAX is
    imported there:

        def make_env():
            os.environ["CUDA_VISIBLE_DEVICES"] = ""
            import my_environment
            return my_environment.Arm(device="cpu")

    Where the environment computes on the GPU, host many instances in one process, or use its
    batched form: one context serves them all.
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.facts import WorkerOnGpu, WorkersOnGpus, as_json
from envdoctor.model.finding import ENVIRONMENT, NOTE, Finding
from envdoctor.model.gpu import SENSOR
from envdoctor.model.trace import Trace
from envdoctor.model.units import size
from envdoctor.rules.engine.examples import fact, trace, vector_view, verb
from envdoctor.rules.engine.measures import counted
from envdoctor.rules.engine.registry import EVERYTHING, VECTOR_ONLY, Example, rule
from envdoctor.rules.engine.view import View

NOT_READ = "it was not read what workers have on a GPU"
WORKERS = ("fork", "forkserver", "spawn")


def unjudged(view: View) -> str:
    """Return the reason why the GPU memory of workers is unknown, or nothing."""
    run = view.trace("life")
    return "" if run is not None and run.fact(WorkersOnGpus) else NOT_READ


@rule(
    "VEC009",
    "gpu-context-per-worker",
    severity=NOTE,
    where=VECTOR_ONLY,
    verb="step",
    about=SENSOR,
    start_methods=WORKERS,
    blames_itself=True,
    looks_at={"life": "step"},
    unjudged=unjudged,
    counts=counted("GPU contexts of workers", "workers"),
    also_reads=(EVERYTHING,),
)
def gpu_context_per_worker(view: View) -> Iterator[Finding]:
    places = [
        other_place
        for other_place in view.other_places
        if other_place.scenario.traits.plain
        and not other_place.scenario.control
        and _workers(other_place)
    ]
    if not places or places[0].scenario.place != (view.manager, view.start_method):
        return
    worker_on_gpus = _workers(places[0])
    pids = {worker.pid for worker in worker_on_gpus}
    most = max(worker_on_gpus, key=lambda worker: worker.used)
    number = "1 worker has" if len(pids) == 1 else f"each of {len(pids)} workers has"
    yield gpu_context_per_worker.finding(
        f"{number} a GPU context of its own: up to {size(most.used)} on GPU {most.gpu}"
        f" ({most.name}), which holds {most.fitting} of them in {size(most.total)}",
        "where only the training loop needs the GPU, hide it from the workers: set"
        ' CUDA_VISIBLE_DEVICES to "" in the factory, before PyTorch or JAX is imported there.'
        f" Where {view.class_name} computes on it, host the instances in one process"
        f"{_in_process(view)}: they share one context.",
        location=view.locate("__init__"),
        evidence={"workers": [as_json(worker) for worker in worker_on_gpus]},
        blame=ENVIRONMENT,
    )


def _workers(run: Trace) -> tuple[WorkerOnGpu, ...]:
    workers_on_gpus = run.fact(WorkersOnGpus)
    return workers_on_gpus.workers if workers_on_gpus else ()


def _in_process(view: View) -> str:
    names = ", ".join(view.framework.in_process)
    return f" ({names})" if names else ""


_GIB = 2**30


def _life(start_method: str, *pids: int) -> Trace:
    workers = [as_json(WorkerOnGpu(pid, 0, "H1", 8 * _GIB, _GIB, _GIB // 2)) for pid in pids]
    return trace(
        verb("make"),
        verb("step:20"),
        fact("gpu-memory", workers),
        manager="gymnasium-async",
        start_method=start_method,
    )


def _view(start_method: str, *traces: Trace) -> View:
    view = vector_view(start_method=start_method)
    own = tuple(life for life in traces if life.scenario.start_method == start_method)
    return View(view.subject, view.manager, start_method, own, view.survey, other_places=traces)


EXAMPLES = (
    Example(
        "one in each of two workers",
        _view("fork", _life("fork", 7, 8), _life("spawn", 9, 10)),
        "each of 2 workers has a GPU context of its own: up to 512.0 MiB on GPU 0 (H1),"
        " which holds 16 of them in 8.0 GiB",
    ),
    Example("told once", _view("spawn", _life("fork", 7, 8), _life("spawn", 9, 10))),
    Example("no worker has one", _view("spawn", _life("spawn"))),
)
