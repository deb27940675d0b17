"""The environment decides how many threads numerical libraries use, or sets libraries otherwise.

What it does
    Compares OMP_NUM_THREADS and similar variables, torch.get_num_threads() and cv2.getNumThreads()
    before the import and after each call of the first life; so it does with numpy.geterr(), with
    PyTorch's default type and device, gradients and deterministic algorithms, and with the backend
    that matplotlib was given. Libraries are asked only where they were imported.

Why it matters
    The setting holds for the whole process: torch.set_num_threads(1) in an environment makes the
    learner beside it train on one core, and matplotlib.use("Agg") at import keeps all its plots
    from being shown. The environment is the last place where a user looks.

How to fix it
    Leave it to the script, or set it where only the environment lives, in the worker's own
    start-up:

        def make_env():
            torch.set_num_threads(1)  # in the factory that a worker runs, not in MyEnv
            return MyEnv()

    Draw on a canvas of the environment's own, FigureCanvasAgg(Figure()), in place of
    matplotlib.use("Agg").
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.finding import NOTE, Finding
from envdoctor.rules.engine.examples import direct_view, sensor_life
from envdoctor.rules.engine.looked_at import LIFECYCLE
from envdoctor.rules.engine.registry import DIRECT_ONLY, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.side_effects import effects, sentence, where
from envdoctor.rules.remedies.aims import remove


@rule(
    "SFX007",
    "thread-settings",
    severity=NOTE,
    where=DIRECT_ONLY,
    sensors=("thread-settings",),
    looks_at={"life": LIFECYCLE},
    follow_ups=("effects",),
)
def thread_settings(view: View) -> Iterator[Finding]:
    for effect in effects(view, "thread-settings"):
        if None in (effect.old, effect.new) or "unknown" in (effect.old, effect.new):
            continue  # the library came in between: what it said before is not known
        yield thread_settings.finding(
            f"{effect.by} sets {effect.key} from {effect.old} to {effect.new}{sentence(effect)}",
            f"leave {effect.key} to the script; where workers host {view.class_name}, set it in the"
            " factory that they run.",
            aim=remove([effect.place]) if effect.own else None,
            location=where(view, effect),
            evidence={"setting": effect.key, **effect.evidence},
        )


EXAMPLES = (
    Example(
        "one core for all",
        direct_view(
            sensor_life(
                "thread-settings",
                before={"OMP_NUM_THREADS": "not set"},
                made={"OMP_NUM_THREADS": "1"},
            )
        ),
        "the constructor sets OMP_NUM_THREADS from not set to 1",
    ),
    Example(
        "plots are not shown any more",
        direct_view(
            sensor_life(
                "thread-settings",
                before={"matplotlib.get_backend()": "automatic"},
                made={"matplotlib.get_backend()": "agg"},
            )
        ),
        "the constructor sets matplotlib.get_backend() from automatic to agg",
    ),
    Example(
        "torch is imported late",
        direct_view(
            sensor_life(
                "thread-settings", before={}, made={"torch.get_num_threads()": "2"}, held={}
            )
        ),
    ),
    Example(
        "nothing is set",
        direct_view(
            sensor_life(
                "thread-settings", before={"OMP_NUM_THREADS": "4"}, held={"OMP_NUM_THREADS": "4"}
            )
        ),
    ),
)
