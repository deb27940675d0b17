"""The memory of a process that an environment of a training started grows.

What it does
    Reads in /proc how much memory each process has written that was started by one in which
    environments are called. The least reading of each of eight stretches after the warm-up is
    followed: where each is higher than the one before, the rate does not fall below half, and it
    comes to 12 MiB, memory grows. Below a worker of a vectorizer that is the environment's. Below
    the trainer's process it may be the trainer's: workers of multiprocessing and programs of
    libraries (Ray, TensorBoard) are left out there. Programs of Java, .NET, Node.js, Unity,
    Unreal, Chromium, Go and others with a collector of their own are not judged where they grow.

Why it matters
    Most simulators are processes of their own, and there is one for each worker. No tool that looks
    at Python sees their memory, and after a day the machine ends the largest process.

How to fix it
    Have the simulator free in reset() what an episode made there. Where it is not yours to mend,
    start it anew from time to time:

        def reset(self, *, seed=None, options=None):
            self._episodes += 1
            if self._episodes % 1000 == 0:
                self._stop_simulator()
                self._start_simulator()
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.finding import WARNING, Finding, Location
from envdoctor.model.training import Training, TrainingProcess
from envdoctor.model.training_growth import ChildSeries, Reading
from envdoctor.model.training_instances import Calls, Instances
from envdoctor.rules.engine.measures import grown
from envdoctor.rules.engine.registry import WHERE_WATCHED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.training import watched_view
from envdoctor.rules.evidence.training_children import children_not_followed, growing_children

GIBIBYTE = 1 << 30


@rule(
    "TRN015",
    "child-memory-grows",
    severity=WARNING,
    where=WHERE_WATCHED,
    needs=("watch",),
    blames_itself=True,
    unjudged=children_not_followed,
    counts=grown("bytes of child processes"),
)
def child_memory_grows(view: View) -> Iterator[Finding]:
    for grown_child in growing_children(view):
        growth = grown_child.growth
        calls = max(1, round(GIBIBYTE / growth.rate))
        yield child_memory_grows.finding(
            grown_child.sentence,
            f"free in that program what each {growth.per} makes there. Where it is not yours to"
            f" mend, end it and start it anew: {calls:,} {growth.per}s take 1 GiB.",
            location=grown_child.location,
            blame=grown_child.blame,
            key=grown_child.key,
            evidence=grown_child.evidence,
        )


_AT = Location("/train.py", 14)
_CALLS = Calls(640, 640)
_ARM = Instances(2, 1, "arm.Arm", _AT, "gymnasium-async", reset=_CALLS, step=_CALLS)
_MIB = 1 << 20


def _example(per_reset: int, *, collector: str = "", of_worker: bool = True) -> View:
    readings = tuple(
        Reading(t, 1, 10 * t, 100 * t, written=9 * _MIB + per_reset * 10 * t) for t in range(64)
    )
    child = ChildSeries(7, 2, "simulator --port 7", readings, of_worker, collector)
    processes = (TrainingProcess(1), TrainingProcess(2, 1))
    return watched_view(Training((), 1, 0, 9.0, processes, (_ARM,), children=(child,)))


EXAMPLES = (
    Example(
        "a simulator that keeps what each episode loads",
        _example(1 << 16),
        "the memory of the child process 'simulator --port 7' of a worker of Arm grows by"
        " 64.0 KiB for each reset, over 420 resets, to 48.4 MiB",
    ),
    Example(
        "the same below the trainer",
        _example(1 << 16, of_worker=False),
        "the memory of the child process 'simulator --port 7' of the process of Arm grows"
        " by 64.0 KiB for each reset, over 420 resets, to 48.4 MiB",
    ),
    Example("as much as a cache may hold", _example(1 << 13)),
    Example("Java frees it later", _example(1 << 16, collector="Java")),
    Example("it stands still", _example(0)),
)
