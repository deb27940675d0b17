"""The memory of the processes that environments of a training started, for the rule on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from envdoctor.analysis.shortages import Shortage, sentence
from envdoctor.analysis.training_growth import FLAT, GROWS, TrainingGrowth, growth
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import ENVIRONMENT, UNKNOWN, Location
from envdoctor.model.training import Training
from envdoctor.model.training_growth import ANEW, WRITTEN, ChildSeries
from envdoctor.model.training_instances import Instances
from envdoctor.model.units import size
from envdoctor.rules.engine.view import View, kind_of
from envdoctor.rules.evidence.training import ATTACHED, training_of
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
