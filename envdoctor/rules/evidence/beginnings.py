"""Beginnings of episodes in a watched training: with which seeds, observations and
states of random generators.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations

from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import Location
from envdoctor.model.page import ACTS, FEW, OWN, SOURCES
from envdoctor.model.training import Training
from envdoctor.model.training_draws import ConstructorDraw
from envdoctor.model.training_instances import Instances
from envdoctor.rules.evidence.hangs import short
from envdoctor.rules.wording.leftovers import listing

BUSY = 0.5  # of the steps of the busiest vectorizer: what has less may be an evaluation
EPISODES = 8  # that have to begin before equal steps are worth a word
NAMES = {"self": "its own random generator", "torch": "PyTorch's generator"}


def busy_groups(training: Training) -> Iterator[list[Instances]]:
    """The stepped instances of each vectorizer that has several, without those of evaluations: of
    what makes less than half of the steps of another vectorizer, or of one instance alone.
    """
    groups = _groups(training)
    alone = [instance.step.began for instance in training.instances if not instance.group]
    most = max([*map(steps_of, groups), *alone], default=0)
    for group in groups:
        if len(group) > 1 and steps_of(group) >= BUSY * most:
            yield group


def why_no_group(training: Training) -> str:
    """Return the reason why no vectorizer has instances that can be compared."""
    if any(len(group) > 1 for group in _groups(training)):
        return (
            "the instances of a vectorizer made less than half of the steps of another one, as an"
            " evaluation does"
        )
    return "no vectorizer with several instances was seen"


def _groups(training: Training) -> list[list[Instances]]:
    """The stepped instances of each vectorizer."""
    groups: dict[str, list[Instances]] = {}
    for instance in stepped(training):
        if instance.group:
            groups.setdefault(instance.group, []).append(instance)
    return list(groups.values())


def pools(training: Training) -> Iterator[list[Instances]]:
    """The stepped instances that one line made in several processes of one parent, which no
    vectorizer started, without what made less than half of the steps of anything else.
    """
    groups: dict[tuple[int, str, str], list[Instances]] = {}
    for each in stepped(training):
        process = training.process(each.pid)
        if process is not None and not each.group and not each.by and each.pid != training.pid:
            groups.setdefault((process.parent, each.type, each.place), []).append(each)
    most = steps_of(training.instances)
    for group in groups.values():
        if len({each.pid for each in group}) > 1 and steps_of(group) >= BUSY * most:
            yield group


def ordered_alike(training: Training) -> Iterator[list[Instances]]:
    """The instances that one line made in several workers of the trainer, where each of these began
    with the same seeds, and alike, and waited for a message for each step. That chance plays a part
    shows in a generator, or in other seeds that begin otherwise.
    """
    for group in pools(training):
        by_pid: dict[int, list[Instances]] = {}
        for each in sorted(group, key=lambda each: each.row):
            by_pid.setdefault(each.pid, []).append(each)
        starts = {tuple((each.seed, each.beginning) for each in own) for own in by_pid.values()}
        is_known = all(
            each.seed is not None and each.beginning and each.varied and not each.reseeded
            for each in group
        )
        orders = all(_takes_orders(training, pid, own) for pid, own in by_pid.items())
        if is_known and len(starts) == 1 and orders and _is_by_chance(group):
            yield group


def _takes_orders(training: Training, pid: int, own: Iterable[Instances]) -> bool:
    """Return whether a worker of the trainer waited for a message for each step."""
    process = training.process(pid)
    if process is None or process.parent != training.pid:
        return False
    return process.messages >= max(each.step.ended for each in own)


def _is_by_chance(group: list[Instances]) -> bool:
    """Return whether they draw, or begin otherwise where another seed alone was given to them."""
    first = group[0]
    return (
        first.drawn
        or SOURCES[OWN] in first.moved
        or any(
            each.seed != first.seed and each.beginning != first.beginning
            for each in group
            if each.arguments == first.arguments != 0 and not (each.copied or first.copied)
        )
    )


def in_turn(training: Training) -> Iterator[list[Instances]]:
    """The instances that one line made in one process, which no vectorizer has, and that are
    stepped in turn, without what made less than half of the steps of anything else.
    """
    groups: dict[tuple[int, str, str], list[Instances]] = {}
    steps = Counter[tuple[int, str, str]]()
    for each in stepped(training):
        key = (each.pid, each.type, each.place)
        steps[(0, "", each.group) if each.group else key] += each.step.began
        if each.place and not each.group and not each.by:
            groups.setdefault(key, []).append(each)
    most = max(steps.values(), default=0)
    for key, group in groups.items():
        is_busy = len(group) > 1 and steps[key] >= BUSY * most
        if is_busy and all(each.turns >= ACTS / 2 for each in group):
            yield group


def differ_in_other_process(group: list[Instances], training: Training) -> bool:
    """Return whether the same line gives each instance of another process a seed of its own."""
    first = group[0]
    alike = (
        others
        for others in in_turn(training)
        if others[0].pid != first.pid
        and (others[0].type, others[0].place) == (first.type, first.place)
    )
    seeds = ([instance.seed for instance in group] for group in alike)
    return any(None not in own and len(set(own)) == len(own) for own in seeds)


def play_alike(group: list[Instances]) -> bool:
    """Return whether all were given the same actions, and returned the same, as far as that was
    looked at, and as often in all.
    """
    first = group[0]
    return (
        first.step_digest != 0
        and (first.drawn or SOURCES[OWN] in first.moved)  # levels in turn are alike without chance
        and first.reset.ended >= EPISODES
        and all(
            (each.step_digest, each.reset, each.step)
            == (first.step_digest, first.reset, first.step)
            for each in group
        )
    )


def stepped(training: Training) -> list[Instances]:
    """The instances that have a row of their own and were stepped, copies by a fork among them."""
    return [
        each
        for each in training.instances
        if (each.number == 1 or each.is_forked_copy) and each.step.began
    ]


def steps_of(instances: Iterable[Instances]) -> int:
    """Their steps in all."""
    return sum(instance.step.began for instance in instances)


def have_one_seed(group: list[Instances]) -> bool:
    """Return whether all were given the same seed, and none another one later."""
    first = group[0]
    return first.seed is not None and all(
        each.seed == first.seed and not each.reseeded and each.type == first.type for each in group
    )


def begin_alike(group: list[Instances]) -> bool:
    """Return whether all began with the same observation, and not with the same one each time."""
    first = group[0].beginning
    return first != 0 and all(each.beginning == first and each.varied for each in group)


@dataclass(frozen=True)
class Overlap:
    """Vectorizers that have some `seeds` in common, and began alike with them. With `on_purpose`,
    one process gave all of them the same seeds, as a comparison of algorithms does.
    """

    groups: list[list[Instances]]
    seeds: list[int]
    on_purpose: bool


def overlaps(training: Training) -> Iterator[Overlap]:
    """Those of each class, without vectorizers whose instances were all given one seed."""
    groups = [group for group in busy_groups(training) if not have_one_seed(group)]
    for kind in dict.fromkeys(group[0].type for group in groups):
        same = [group for group in groups if {each.type for each in group} == {kind}]
        for on_purpose in (False, True):
            involved: dict[str, list[Instances]] = {}
            seeds: set[int] = set()
            for item, other in combinations(same, 2):
                common = _common_seeds(item, other)
                if common and _is_comparison(item, other) == on_purpose:
                    involved |= {item[0].group: item, other[0].group: other}
                    seeds |= common
            if involved:
                yield Overlap(list(involved.values()), sorted(seeds), on_purpose)


def _common_seeds(item: list[Instances], other: list[Instances]) -> set[int]:
    """Seeds with which an instance of each began alike, and played on without another one."""
    return {seed for seed, _ in _starts(item) & _starts(other)}


def _starts(group: list[Instances]) -> set[tuple[int, int]]:
    return {
        (each.seed, each.beginning)
        for each in group
        if each.seed is not None and each.beginning and each.varied and not each.reseeded
    }


def _is_comparison(item: list[Instances], other: list[Instances]) -> bool:
    """Return whether one process launched both, and gave them the same seeds."""
    launched = {group[0].group.partition(".")[0] for group in (item, other)}
    return len(launched) == 1 and {each.seed for each in item} == {each.seed for each in other}


def copies_of_one(training: Training, group: list[Instances]) -> bool:
    """Return whether all are copies of one instance, made by forks of the process that made it."""
    processes = [training.process(each.pid) for each in group]
    originals = {
        (process.parent if process else 0, each.row)
        for process, each in zip(processes, group, strict=True)
    }
    return all(each.is_forked_copy for each in group) and len(originals) == 1


def shared_source(group: list[Instances]) -> str:
    """The random generator that has one state in all instances and goes on in each of them, or
    nothing. Of a process there is one, from which its instances draw in turn.
    """
    pids = {each.pid for each in group}
    held = {(each.pid, each.holds) for each in group}
    for at, source in enumerate(SOURCES):
        states = {each.generators[at] if each.generators else 0 for each in group}
        each_has_one = len(held if at == OWN else pids) == len(group)
        if (
            each_has_one
            and len(states) == 1
            and 0 not in states
            and all(source in each.moved and source not in each.set_back for each in group)
        ):
            return source
    return ""


def repeats_its_seed(instance: Instances) -> bool:
    """Return whether reset() was given one seed again and again, and began alike each time."""
    return (
        instance.same >= FEW
        and instance.same == instance.reseeded
        and instance.alike >= FEW
        and not instance.forced
    )


def other_seeds_begin_otherwise(instance: Instances, training: Training) -> bool:
    """Return whether instances that were made alike began with another seed in another way."""
    return instance.seed is not None and any(
        _made_alike(instance, other)
        and other.seed not in (None, instance.seed)
        and other.beginning not in (0, instance.beginning)
        for other in training.created_here
    )


def _made_alike(instance: Instances, other: Instances) -> bool:
    """Return whether both were made by a constructor that got the same arguments. A copy has those
    of its original, which are not known.
    """
    constructed = all(each.number == 1 and each.make.ended for each in (instance, other))
    same = (instance.type, instance.arguments) == (other.type, other.arguments)
    return constructed and same and instance.arguments != 0


def constructed_in_workers(training: Training) -> Iterator[list[Instances]]:
    """The instances of a line in several workers, where the first constructor of each worker drew,
    and each was given a seed of its own afterwards.
    """
    groups: dict[tuple[str, str], list[Instances]] = {}
    for each in stepped(training):
        if each.number == 1 and each.pid != training.pid:
            groups.setdefault((each.type, each.place), []).append(each)
    for group in groups.values():
        seeds = {each.seed for each in group}
        drawn = all(each.constructed for each in _first_of_each(group))
        if (
            drawn
            and len(_first_of_each(group)) > 1
            and None not in seeds
            and len(seeds) == len(group)
        ):
            yield group


def constructed_alike(training: Training) -> Iterator[tuple[ConstructorDraw, list[Instances]]]:
    """Draws of these constructors from a generator that was in one state in all workers."""
    for group in constructed_in_workers(training):
        first, *others = (each.constructed for each in _first_of_each(group))
        states = [{(each.source, each.state) for each in draws} for draws in others]
        for draw in first:
            if all((draw.source, draw.state) in each for each in states):
                yield draw, group


def _first_of_each(group: Iterable[Instances]) -> list[Instances]:
    """The first instance of each process."""
    return [*{each.pid: each for each in sorted(group, key=lambda each: -each.row)}.values()]


def name_of(source: str) -> str:
    """A random generator, as a sentence has it."""
    return NAMES.get(source, source)


def drawing_lines(kind: str, source: str, training: Training) -> tuple[Location, ...]:
    """The lines of a class that draw from a generator of its process, as far as they are known."""
    alike = (each for each in training.instances if each.type == kind)
    draws = (draw for each in alike for draw in each.draws if draw.source == source)
    return tuple(dict.fromkeys(draw.location for draw in draws))


def at_lines(lines: tuple[Location, ...]) -> str:
    """` at raptor.py:17 and raptor.py:23`, or nothing."""
    places = [f"{short(line.file)}:{line.line}" for line in lines]
    return f" at {listing(places)}" if places else ""
