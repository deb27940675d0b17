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

from collections import Counter
from collections.abc import Iterator

from envdoctor.analysis.shortages import Shortage, sentence
from envdoctor.analysis.training_growth import FLAT, GROWS, TrainingGrowth, growth
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import ENVIRONMENT, UNKNOWN, WARNING, Finding, Location
from envdoctor.model.training import Training, TrainingProcess
from envdoctor.model.training_growth import ANEW, WRITTEN, ChildSeries, Reading
from envdoctor.model.training_instances import Calls, Instances
from envdoctor.model.units import size
from envdoctor.rules.engine.measures import grown
from envdoctor.rules.engine.registry import WHERE_WATCHED, Example, rule
from envdoctor.rules.engine.view import View, kind_of
from envdoctor.rules.evidence.training import ATTACHED, training_of, watched_view
from envdoctor.rules.evidence.training_growth import followed, not_followed
from envdoctor.rules.wording.leftovers import listing

METERS = (WRITTEN,)

KEPT = 40  # characters of a command line that tell it from others


@dataclass(frozen=True)
class GrownChild:
    """A process whose memory grows, and an instance of the process that started it."""

    child: ChildSeries
    growth: TrainingGrowth
    instance: Instances | None

    @property
    def key(self) -> tuple[str, ...]:
        """The name that makes it the same one tomorrow, below another worker, and elsewhere:
        where a command line was cut depends on the length of its paths.
        """
        words = (word.rpartition("/")[2] for word in self.child.command.split())
        name = kind_of(" ".join(words)[:KEPT])
        return (name, self.instance.type if self.instance else "")

    @property
    def sentence(self) -> str:
        """`the child process 'simulator' of Arm's worker grows by 64.0 KiB for each reset, over
        640 resets, to 50.1 MiB`.
        """
        result, written = self.growth, self.child.readings[-1].written or 0
        who = self.instance.class_name if self.instance else "an environment"
        where = f"a worker of {who}" if self.child.of_worker else f"the process of {who}"
        return (
            f"the memory of the child process '{listing([self.child.command])}' of {where} grows by"
            f" {size(result.rate)} for each {result.per}, {followed(result)}, to {size(written)}"
        )

    @property
    def location(self) -> Location | None:
        """The line that made the instance, where all that its process starts is its own."""
        return self.instance.location if self.child.of_worker and self.instance else None

    @property
    def blame(self) -> str:
        """The part at fault: what the trainer's process starts may be the trainer's."""
        return ENVIRONMENT if self.child.of_worker else UNKNOWN

    @property
    def evidence(self) -> dict[str, object]:
        """The sentences that prove it."""
        return {
            "pid": self.child.pid,
            "command": self.child.command,
            "per_cycle": self.growth.rate,
            "per_operation": {self.growth.per: self.growth.rate},
            "rise": self.growth.rise,
        }


def growing_children(view: View) -> Iterator[GrownChild]:
    """The processes whose memory grows, once for all that are alike."""
    training, keys = training_of(view), set()
    for child in training.children:
        result = growth(child.readings, WRITTEN)
        grown = GrownChild(child, result, _instance_of(training, child))
        if result.verdict == GROWS and not child.collector and grown.key not in keys:
            keys.add(grown.key)
            yield grown


def _instance_of(training: Training, child: ChildSeries) -> Instances | None:
    own = (
        instance
        for instance in training.instances
        if instance.pid == child.caller and instance.type
    )
    return next(
        (instances for instances in own if instances.reset.began or instances.step.began), None
    )


def children_not_followed(view: View) -> str:
    """Return why growth of the processes that environments started cannot be judged, or nothing."""
    training = training_of(view)
    if training.attached:
        return ATTACHED
    called = any(instance.reset.ended or instance.step.ended for instance in training.instances)
    if not called:
        return not_followed(view, METERS) or "no call of an environment was counted"
    groups = Counter((child.caller, child.command) for child in training.children if child.ended)
    shortages: list[Shortage] = []
    for child in training.children:
        result = growth(child.readings, WRITTEN)
        if child.collector and result.rise > 0 and result.verdict != FLAT:
            return (
                f"{listing([child.command])} grew by {size(result.rise)}, which the collector of"
                f" {child.collector} may still free"
            )
        is_anew = groups[child.caller, child.command] >= ANEW
        if result.shortage is not None and not is_anew:
            shortages.append(result.shortage)
    return sentence([min(shortages, key=lambda shortage: shortage.share)]) if shortages else ""


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
