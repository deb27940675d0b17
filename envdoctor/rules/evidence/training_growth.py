"""Growth in a training: its cause and its wording."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Iterable, Iterator, Sequence

from envdoctor.analysis.shortages import BLOCK, BYTE, LOOK, READING, RUN, Shortage, sentence
from envdoctor.analysis.training_growth import ENOUGH, GROWS, MEMORY, TrainingGrowth, growths, held
from envdoctor.frameworks import vectorizer_of
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import ENVIRONMENT, MANAGER, UNKNOWN, Location
from envdoctor.model.training import VECTORIZER, Training
from envdoctor.model.training_growth import (
    ANEW,
    ENVIRONMENT_SIDE,
    LOOKS,
    RESOURCES,
    TRAINER_SIDE,
    VECTORIZER_SIDE,
    Reading,
    Series,
    TrainingHolder,
)
from envdoctor.model.training_instances import Instances
from envdoctor.rules.engine.view import View, kind_of
from envdoctor.rules.evidence.training import ATTACHED, not_made, of, training_of
from envdoctor.rules.evidence.training_sites import SiteLine, lines_of
from envdoctor.rules.wording.leftovers import listing

MEBIBYTE = 1 << 20
HEAVY = 64 * MEBIBYTE  # bytes in ten million steps, from which growth is more than a note
ELEMENT = 128  # bytes that an element takes, about: to tell what matters from what does not
NUMBER = 40  # bytes that one of these takes with its place in a list, about
NUMBERS = (
    *("int", "float", "bool", "complex", "numpy.float64", "numpy.float32", "numpy.int64"),
    *("numpy.int32", "numpy.bool", "numpy.bool_"),
)
ATTRIBUTE_OF_SELF = re.compile(r"\w+\(\) self\.(\w+)")
BLAME = {ENVIRONMENT_SIDE: ENVIRONMENT, VECTORIZER_SIDE: MANAGER}

NAMES = {
    "blocks": "memory blocks of Python",
    "malloc": "bytes of malloc",
    "descriptors": "open descriptors",
    "threads": "threads",
    "children": "child processes",
    "segments": "segments of shared memory",
}

WORDS = {
    "environment": "the environment's",
    "wrapper": "a wrapper's",
    "vectorizer": "the vectorizer's",
    "trainer": "the trainer's",
    "": "not known whose",
}
#: What an element of a container keeps, by the meter that counts it.
KEEPS = {
    "descriptors": "descriptors",
    "threads": "threads",
    "children": "processes",
    "segments": "segments",
}
ALIKE = 3  # times as fast, at most: an element may keep two pipes, and be looked at early

ROSE = frozenset({BYTE, BLOCK, RUN})  # what is short where memory rose, for long enough
NO_METERS = "the meters do not work in this interpreter"
#: A trainer that talks to its workers answers late: it may be read more often without its answers.
FROM_OUTSIDE = "the trainer's process was looked at from outside, where its memory is not counted"


@dataclass(frozen=True)
class GrowthPlace:
    """A process of a training and what was read of it. `own` are the instances that were made or
    called in it. Where the training was `attached` to they are not known, and its `command` says
    what it is. `vectorizers` are the lines that make them in it.
    """

    series: Series
    own: tuple[Instances, ...]
    is_trainer: bool
    attached: bool = False
    command: str = ""
    vectorizers: tuple[SiteLine, ...] = ()

    @property
    def name(self) -> str:
        """`the trainer's process`, `a worker`, `a child (simulator --port 7)`."""
        if self.is_trainer:
            return "the trainer's process"
        return f"a child ({listing([self.command])})" if self.attached else "a worker"

    @property
    def is_outside(self) -> bool:
        """True if it is a trainer that was looked at from outside: it calls no environment, or did
        so once, and its pool made most of the calls of its readings.
        """
        readings = self.series.readings
        if any(map(_is_inside, readings)) or not self.is_trainer or self.attached:
            return False
        calls = [each.resets + each.steps for each in readings]
        own = sum(each.reset.ended + each.step.ended for each in self.own)
        is_beside = bool(calls) and not self.vectorizers and own < calls[-1] - calls[0]
        return self.is_sent_all or is_beside

    @property
    def is_sent_all(self) -> bool:
        """True if it is a trainer that calls neither environments nor a vectorizer of a library:
        what grows in it may be a replay memory that fills with what its processes send.
        """
        return self.is_trainer and not (self.attached or self.own or self.vectorizers)

    @property
    def growths(self) -> tuple[TrainingGrowth, ...]:
        """Of each meter that was read."""
        return growths(self.series.readings, self.attached)

    @property
    def holders(self) -> tuple[TrainingHolder, ...]:
        """Containers of it that got longer, and are not full."""
        return held(self.series, self.attached)

    @property
    def first(self) -> Instances | None:
        """One of its instances."""
        return next(iter(self.own), None)

    @property
    def side(self) -> str:
        """The side that growth in it belongs to: in a worker of a vectorizer, there is nothing
        else. A process that only makes instances, to read their spaces, may be the trainer, below a
        program that launched it.
        """
        first = self.first
        trace = any(instances.reset.began or instances.step.began for instances in self.own)
        alone = not self.is_trainer and first is not None and first.by and not self.own_process
        return ENVIRONMENT_SIDE if alone and trace else ""

    @property
    def own_process(self) -> bool:
        """True if the vectorizer of its instances keeps them in its own process."""
        return self.first is None or vectorizer_of(self.first.by).in_process


def _is_inside(reading: Reading) -> bool:
    """Return whether a reading is of the memory, which only the process itself reports."""
    return reading.blocks is not None or reading.malloc is not None


def places(view: View) -> Iterator[GrowthPlace]:
    """The processes of a training that were read."""
    training = training_of(view)
    for series in training.series:
        own = tuple(
            each
            for each in training.instances
            if each.pid == series.pid and each.type and each.is_used
        )
        process = training.process(series.pid)
        command = process.command if process is not None else ""
        lines = tuple(lines_of(training, VECTORIZER, series.pid))
        yield GrowthPlace(
            series, own, series.pid == training.pid, training.attached, command, lines
        )


def not_followed(view: View, meters: tuple[str, ...]) -> str:
    """Return the reason why growth by some meters cannot be judged, or nothing."""
    result = [place for place in places(view) if meters != MEMORY or not place.is_outside]
    if training_of(view).attached and meters == MEMORY and not _answered(result):
        return ATTACHED
    if not result:
        if training_of(view).created_here:
            return sentence([Shortage(READING, 0, ENOUGH, training_of(view).seconds)])
        return not_made(training_of(view))
    if meters == RESOURCES:
        result = [
            each for each in result if not _is_started_anew(training_of(view), each)
        ] or result
    known = [growth for each in result for growth in each.growths if growth.meter in meters]
    if not known:
        inside = any(reading.made for each in result for reading in each.series.readings)
        return FROM_OUTSIDE if meters == MEMORY and not inside else NO_METERS
    return _worst([growth.shortage for growth in known if growth.shortage is not None])


def _is_started_anew(training: Training, place: GrowthPlace) -> bool:
    """Return whether a process had few readings and is of those that are started again and again:
    several that made the same instances had ended before the last of them was started.
    """
    first = place.first
    if place.is_trainer or first is None or len(place.series.readings) >= ENOUGH:
        return False
    pids = {
        each.pid
        for each in training.created_here
        if (each.type, each.location) == (first.type, first.location) and each.pid != training.pid
    }
    alike = [each for each in training.processes if each.pid in pids]
    last = max((each.began for each in alike), default=0.0)
    return sum(each.ended is not None and each.ended < last for each in alike) >= ANEW


def _worst(shortages: Sequence[Shortage]) -> str:
    """That of which there was least, or nothing."""
    return sentence([min(shortages, key=lambda shortage: shortage.share)]) if shortages else ""


def not_looked(view: View) -> str:
    """Return the reason why containers cannot be judged: memory grows, and its holders were not
    looked for.
    """
    if training_of(view).attached and not _answered(places(view)):
        return ATTACHED
    shortages: list[Shortage] = []
    for place in places(view):
        result = [growth for growth in place.growths if growth.meter in MEMORY]
        if (place.attached or place.is_outside) and not result:
            continue  # it did not answer, as the report says, or calls no environment
        longer = [held for held in place.series.holders if not held.is_rare]
        if not result and not longer:
            return NO_METERS
        if place.series.unfound:
            lost = of(place.series.unfound, "container")
            return f"{lost} got longer, and the time did not suffice to find who holds them"
        if longer and not place.holders:
            first = longer[0]
            return (
                f"{name_of(first)} got longer, to {first.length:,} elements, and may be full:"
                " memory no longer grows"
            )
        if not place.holders:
            shortages += _not_seen(place, result)
    return _worst(shortages) if list(places(view)) else not_followed(view, MEMORY)


def _not_seen(place: GrowthPlace, result: Sequence[TrainingGrowth]) -> list[Shortage]:
    """Return the shortages that prevent the judgement that no container of a process got longer."""
    short = [
        growth.shortage for growth in result if growth.shortage and growth.shortage.unit not in ROSE
    ]
    series = place.series
    if short or series.looks >= LOOKS or not any(growth.may_grow for growth in result):
        return short
    return [Shortage(LOOK, series.looks, LOOKS, series.readings[-1].t)]


def _answered(places: Iterable[GrowthPlace]) -> bool:
    """Return True if an attached process was read from within."""
    return any(growth.meter in MEMORY for each in places for growth in each.growths)


@dataclass(frozen=True)
class Grown:
    """A meter that grows in a process of a training."""

    place: GrowthPlace
    growth: TrainingGrowth

    @property
    def key(self) -> tuple[str, str, str]:
        """The identity of the growth, also tomorrow and in another worker."""
        place, first = self.place, self.place.first
        role = "trainer" if place.is_trainer else "worker"
        what = kind_of(place.command) if place.attached and not place.is_trainer else ""
        return (self.growth.meter, role, first.type if first else what)

    @property
    def sentence(self) -> str:
        """`open descriptors grow in worker 11 of Arm by 1.0 for each reset, over 640 resets`."""
        first, growth = self.place.first, self.growth
        where = self.place.name if not first else f"{self.place.name} of {first.class_name}"
        each = rate(growth.rate, growth.per)
        return f"{NAMES[growth.meter]} grow in {where} by {each}, {followed(growth)}"

    @property
    def location(self) -> Location | None:
        """The line that made the instances, where the growth is theirs."""
        return self.place.first.location if self.place.side and self.place.first else None

    @property
    def evidence(self) -> dict[str, object]:
        """The evidence of a finding on this growth."""
        return {
            "pid": self.place.series.pid,
            "per_cycle": self.growth.rate,
            "per_operation": {self.growth.per: self.growth.rate},
            "rise": self.growth.rise,
        }


def growing(where: Iterable[GrowthPlace], meters: tuple[str, ...]) -> Iterator[Grown]:
    """Yield growth by these meters in these places, once for all workers that are alike."""
    reported = set()
    for place in where:
        for growth in place.growths:
            grown = Grown(place, growth)
            if growth.verdict == GROWS and growth.meter in meters and grown.key not in reported:
                reported.add(grown.key)
                yield grown


def followed(growth: TrainingGrowth) -> str:
    """`over 1,200 resets`."""
    return f"over {growth.over:,} {growth.per}s"


def rate(number: float, per: str) -> str:
    """`1.0 for each reset`."""
    digits = 1 if abs(number) >= 0.1 else 3
    return f"{number:,.{digits}f} for each {per}"


def holder_rate(held: TrainingHolder) -> str:
    """Return how fast a container gets longer: by the calls that its growth is closest to."""
    rates = [(held.grew / calls, per) for calls, per in _calls(held) if calls]
    if not rates:
        return f"{held.grew:,} more between two looks"
    return rate(*min(rates, key=lambda item: abs(math.log(item[0]))))


def _calls(held: TrainingHolder) -> tuple[tuple[int, str], ...]:
    return (held.resets, "reset"), (held.steps, "step")


def side_of(held: TrainingHolder, place: GrowthPlace) -> str:
    """Return the side of a container; a worker of a vectorizer has nothing of the trainer's."""
    return place.side if place.side and held.side in ("", TRAINER_SIDE) else held.side


def described(held: TrainingHolder, side: str) -> str:
    """`main() env.history (list of object, the environment's)`."""
    element = f" of {held.element}" if held.element else ""
    return f"{name_of(held)} ({held.type}{element}, {WORDS[side]})"


def name_of(held: TrainingHolder) -> str:
    """`main() env.history`; `Monitor.episode_returns` for `step() self.episode_returns`."""
    attribute = ATTRIBUTE_OF_SELF.fullmatch(held.chain)
    if attribute is None or not held.owner or held.owner.endswith("()"):
        return held.chain
    return f"{held.owner.rpartition('.')[2]}.{attribute[1]}"


def holder_of(grown: Grown) -> TrainingHolder | None:
    """The container whose elements keep what grows, and that gets longer about as fast."""
    growth = grown.growth
    by_reset = growth.per == "reset"
    over = growth.over if by_reset else growth.steps
    for holder in grown.place.series.holders:
        calls = holder.resets if by_reset else holder.steps
        if holder.keeps != KEEPS.get(growth.meter) or not calls:
            continue
        if 1 / ALIKE <= holder.grew / calls * over / growth.rise <= ALIKE:
            return holder
    return None


def held_weight(held: TrainingHolder) -> float:
    """Bytes of memory in ten million steps, where an element takes what a plain value does; without
    a bound where no step was made.
    """
    return held.grew * ELEMENT * 1e7 / held.steps if held.steps else math.inf


def is_a_record(held: TrainingHolder, side: str) -> bool:
    """Return True for one number of each episode, as every Monitor of Stable-Baselines3 keeps its
    returns, and for one of each step that the trainer keeps: Gymnasium's tutorial on Blackjack
    draws a curve of these errors. A million take some 40 MB.
    """
    calls = held.steps if side == TRAINER_SIDE else held.resets
    return held.element in NUMBERS and 0 < held.grew <= calls


def blame_of(side: str) -> str:
    """The blame of a finding on growth."""
    return BLAME.get(side, UNKNOWN)


def spec_of(instances: Instances) -> str:
    """Return its class for a command line: `train.py:Arm`, `package.module:Arm`."""
    module, _, name = instances.type.rpartition(".")
    if module == "__main__":
        return f"{instances.location.file if instances.location else 'train.py'}:{name}"
    return f"{module}:{name}"


def played_alone(training: Training, place: GrowthPlace) -> tuple[str, str] | None:
    """Return the SPEC of the same environment without the trainer, and the vectorizer or nothing.
    None where no instance is known.
    """
    first = place.first or next((each for each in training.created_here if each.type), None)
    by = next((each.by for each in training.created_here if each.by), "")
    return (spec_of(first), by) if first is not None else None


def shadow(training: Training, place: GrowthPlace) -> tuple[str, ...]:
    """The command that plays it."""
    alone = played_alone(training, place)
    if alone is None:
        return ()
    spec, by = alone
    managers = f" --managers {by}" if by else ""
    program = training.command[0] if training.command else ""
    folder, _, name = program.rpartition("/")
    is_python = bool(folder) and name.startswith("python")
    interpreter = f" --python {shlex.quote(program)}" if is_python else ""
    return (f"envdoctor leak {spec}{managers}{interpreter}",)


def in_question(view: View) -> list[str]:
    """The SPEC of each environment of which a control would decide: memory grows where the trainer
    runs.
    """
    alone = [
        played_alone(training_of(view), grown.place)
        for grown in growing(places(view), MEMORY)
        if not grown.place.side
    ]
    return list(dict.fromkeys(item[0] for item in alone if item is not None))
