"""close() leaves GPU memory.

What it does
    Asks NVIDIA's driver how much memory the environment's process, and all that it started, have on
    all GPUs before the constructor and after close(). The first life is not judged: a context, once
    opened, stays until its process ends. Of PyTorch's memory only what tensors hold is counted, not
    what PyTorch keeps for its next ones. It needs nvidia-ml-py in the environment's interpreter.

Why it matters
    An environment that is built anew for each trial takes more of the GPU each time, until the
    model that is trained beside it finds no room.

How to fix it
    Free in close() what the environment holds on the GPU, and drop every reference to it:

        def close(self):
            self._renderer.close()        # a drawing context
            self._state = None            # tensors and arrays
            super().close()
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from envdoctor.model.finding import WARNING, Finding
from envdoctor.model.gpu import NOT_READ, SENSOR
from envdoctor.model.units import size
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.examples import direct_view, reading, trace
from envdoctor.rules.engine.looked_at import LIFECYCLE
from envdoctor.rules.engine.measures import counted
from envdoctor.rules.engine.registry import DIRECT_ONLY, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.gpu import ONE_LIFECYCLE, left_on_gpu, reason_unread
from envdoctor.rules.wording.leftovers import has_close, its_close, leaves


def unjudged(view: View) -> str:
    """Return the reason why GPU memory cannot be judged, or nothing."""
    life = view.last_life()
    return reason_unread(view) or (ONE_LIFECYCLE if life is not None and life.number == 0 else "")


@rule(
    "CLS018",
    "close-leaves-gpu-memory",
    explains=Cause.GPU_MEMORY_LEFT,
    severity=WARNING,
    where=DIRECT_ONLY,
    verb="drop",
    sensors=(SENSOR,),
    about=SENSOR,
    looks_at={"life": LIFECYCLE},
    unjudged=unjudged,
    counts=counted("GPU bytes left", "bytes"),
    cured_in_close=True,
    gives_way=(Cause.PROCESSES_LEFT,),
)
def close_leaves_gpu_memory(view: View) -> Iterator[Finding]:
    collected = left_on_gpu(view, "collected")
    left = collected or (left_on_gpu(view, "held") if has_close(view) else {})
    if not left:
        return
    until = "" if collected else " until the closed object is dropped"
    running = view.left("processes", "held")
    theirs = [pid for pid in left if pid in running]
    where = f" in {len(theirs)} of its processes" if theirs else ""
    yield close_leaves_gpu_memory.finding(
        f"{leaves(view)} {size(sum(left.values()))} of GPU memory{where}{until}",
        f"free in {its_close(view)} what is on the GPU: close renderers, and drop tensors and"
        " arrays.",
        location=view.locate("close"),
        evidence={"bytes": sum(left.values()), "processes": left},
        explained_by=(Cause.PROCESSES_LEFT,) if len(theirs) == len(left) else (),
    )


def _two_lifecycles(
    before: Mapping[str, str], held: Mapping[str, str], after: Mapping[str, str]
) -> View:
    first = [reading(point, {"gpu-memory": {}}) for point in ("before", "held", "collected")]
    second = [
        reading("before", {"gpu-memory": before}, 1),
        reading("made", {"gpu-memory": held}, 1),
        reading("held", {"gpu-memory": held}, 1),
        reading("collected", {"gpu-memory": after}, 1),
    ]
    return direct_view(trace(*first, *second))


_CONTEXT = {"1": str(300 << 20)}
_MORE = {"1": str(364 << 20)}

EXAMPLES = (
    Example(
        "a buffer that is never freed",
        _two_lifecycles(_CONTEXT, _MORE, _MORE),
        "close() leaves 64.0 MiB of GPU memory",
    ),
    Example(
        "tensors that the closed object holds",
        _two_lifecycles(_CONTEXT, _MORE, _CONTEXT),
        "close() leaves 64.0 MiB of GPU memory until the closed object is dropped",
    ),
    Example("the context stays, and nothing else", _two_lifecycles(_CONTEXT, _CONTEXT, _CONTEXT)),
    Example("the driver does not tell", _two_lifecycles({}, {NOT_READ: "x"}, {NOT_READ: "x"})),
)
