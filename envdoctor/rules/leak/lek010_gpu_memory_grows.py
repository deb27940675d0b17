"""GPU memory grows with every cycle.

What it does
    Asks NVIDIA's driver how much GPU memory the environment's process has before and after blocks
    of whole cycles. Of PyTorch's memory only what tensors hold is counted, not what PyTorch keeps
    for its next ones. It needs nvidia-ml-py in the environment's interpreter. Memory of processes
    that the environment starts is not followed here: LEK007 counts those that stay. Where PyTorch
    or JAX is loaded, the evidence says what each of them counts itself.

Why it matters
    A GPU has less memory than the machine, and the model that is trained needs most of it. When it
    is full, it is the training loop that fails, not the environment.

How to fix it
    Free in close(), and in reset() before it is built anew, what the environment holds on the GPU:

        def reset(self, *, seed=None, options=None):
            self._frames.clear()          # a list of tensors keeps each of them on the GPU
            if self._renderer is not None:
                self._renderer.close()
            self._renderer = Renderer(self._model)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from envdoctor.analysis.growth.leaks import Leak
from envdoctor.analysis.growth.sides import LIFECYCLE
from envdoctor.model.environment_aims import EndHeld
from envdoctor.model.finding import Finding
from envdoctor.model.gpu import SENSOR
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.examples import block, designs, direct_view, growing
from envdoctor.rules.engine.registry import EVERYTHING, WHERE_PLAYED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.gpu import counted_by_libraries, left_on_gpu, reason_unread
from envdoctor.rules.evidence.growth import leaks_of
from envdoctor.rules.wording.growth import cleanup, held, horizon, per_million, report, sentence

SHARE = 0.9  # of what a cycle keeps, that close() leaves: its remedy takes the whole of it


@rule(
    "LEK010",
    "gpu-memory-grows",
    explains=Cause.GPU_MEMORY_GROWS,
    where=WHERE_PLAYED,
    needs=("leak", "leak-workers"),
    meters=("gpu",),
    about=SENSOR,
    unjudged=reason_unread,
    grows="GPU bytes",
    gives_way=(Cause.GPU_MEMORY_LEFT,),
    also_reads=(EVERYTHING,),
)
def gpu_memory_grows(view: View) -> Iterator[Finding]:
    for leak in leaks_of(view, "gpu"):
        message = (
            f"{sentence(leak, 'keeps', 'GPU memory')}{per_million(leak)}{held(view, leak)};"
            f" {horizon(leak)}"
        )
        anew = ", and before it is built anew" if leak.operation == "reset" else ""
        remedy = f"free in {cleanup(view, leak, 'close')} what is on the GPU{anew}."
        finding = report(
            gpu_memory_grows,
            view,
            leak,
            (message, remedy),
            aim=EndHeld(),
            explained_by=_explanations(view, leak),
        )
        counted = counted_by_libraries(view, leak.side)
        yield (
            replace(finding, evidence={**finding.evidence, "counted_by": counted})
            if counted
            else finding
        )


def _explanations(view: View, leak: Leak) -> tuple[Cause, ...]:
    """Return the cause of what each instance leaves once: close() leaves it."""
    once = leak.side == LIFECYCLE and leak.operation in ("create", "cycle")
    left = sum(left_on_gpu(view, "collected").values())
    return (Cause.GPU_MEMORY_LEFT,) if once and left >= SHARE * leak.rate else ()


EXAMPLES = (
    Example(
        "a texture that every reset uploads anew",
        direct_view(*growing(objects=0, heap=0, gpu=2 << 20), *designs("gpu", reset=2 << 20)),
        "every reset() keeps 2.0 MiB of GPU memory: 1.9 TiB per million resets; steady"
        " through 231 cycles",
    ),
    Example("it was given back", direct_view(*(block(cycles, gpu=0) for cycles in (7, 7, 7, 14)))),
)
