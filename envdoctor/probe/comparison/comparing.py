"""Choice of the plays that are recorded, and what two recordings show once a scenario is over and
nothing of it is read any more.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Dict, Iterable, List, Mapping, Optional, Tuple

from envdoctor.model.scenario import DIRECT, EPISODE, HUMAN, Scenario
from envdoctor.model.trajectory import Call, Frozen
from envdoctor.probe.comparison.frozen import as_array, first_difference, parts
from envdoctor.probe.comparison.stale_infos import ReturnedValues
from envdoctor.probe.comparison.trajectory import (
    Recorder,
    TrajectoryComparison,
    compare,
    load,
    moves,
    where,
)
from envdoctor.probe.journal import Journal

if TYPE_CHECKING:
    from envdoctor.probe.comparison.trajectory import DrivenInstance

NAN, INFINITE = "nan", "inf"
STEP, RESET = "step", "reset"
LIFE = "life"  # the plain one, as its recordings are named

ROUNDING = 1e-6  # a simulator may calculate otherwise by so much after an episode


def not_numbers(calls: List[Call]) -> Optional[Dict[str, object]]:
    """Count the steps of an instance that returned a reward which is not a finite number, and the
    calls that returned an observation with a NaN; each with the step of its episode that was the
    first, 0 for reset(). None where all are finite.
    """
    counts: Dict[str, object] = {"rewards": 0, "observations": 0}
    step = steps = rewards = observations = 0
    for call in calls:
        step = 0 if call.name == RESET else step + 1
        steps += call.name == STEP
        reward = kind_of(call.reward) if call.name == STEP else ""
        if reward:
            rewards += 1
            counts.setdefault("first_reward", step)
            counts.setdefault("reward", reward)
        if kind_of(call.observation) == NAN:
            observations += 1
            counts.setdefault("first_observation", step)
    if not rewards and not observations:
        return None
    return {**counts, "steps": steps, "rewards": rewards, "observations": observations}


def kind_of(frozen: Optional[Frozen]) -> str:
    """Return `nan` or `inf` where a value has such a number, NaN before infinity; else nothing.
    What is digested or opaque is not known.
    """
    kinds = set(_kinds(frozen)) if frozen is not None else set()
    return NAN if NAN in kinds else INFINITE if INFINITE in kinds else ""


def _kinds(frozen: Frozen) -> Iterable[str]:
    kind, what = frozen[0], frozen[1]
    if kind == "plain" and what == "float":
        yield _kind(frozen[2])
    elif kind in ("array", "scalar") and what[1] == "f":
        yield from {_kind(float(value)) for value in _extremes(as_array(frozen))}
    for part in parts(frozen).values():
        yield from _kinds(part)


def _extremes(array: object) -> List[float]:
    """The least and the greatest number, which are NaN where any is."""
    import numpy as np

    values = np.asarray(array)
    return [float(values.min()), float(values.max())] if values.size else []


def _kind(number: float) -> str:
    return NAN if math.isnan(number) else INFINITE if math.isinf(number) else ""


def record(host: DrivenInstance, scenario: Scenario, journal: Journal, life: int) -> None:
    """Let a new host's instances be recorded, where anybody compares them: one life is enough
    under a manager.
    """
    in_window = scenario.traits.drawn and scenario.option("render_mode") == HUMAN  # without images
    if in_window or not scenario.traits.recorded or (life and scenario.manager != DIRECT):
        return
    host.recorder = Recorder(_file(scenario, journal, life))
    if scenario.traits.reuses:
        host.returned_arrays = ReturnedValues(
            lambda change: journal.write("fact", key="changed-later", value=change),
            lambda change: journal.write("fact", key="action-changed", value=change),
            lambda stale: journal.write("fact", key="stale-info", value=stale),
            host.subject if scenario.manager == DIRECT else None,
        )


def save(*hosts: DrivenInstance) -> None:
    """Write down what hosts have recorded so far."""
    for host in hosts:
        if host.recorder is not None:
            host.recorder.save()


def tell(scenario: Scenario, journal: Journal) -> None:
    """Journal what the recordings of a scenario show."""
    if scenario.manager != DIRECT:
        if scenario.traits.plain:
            calls = load(_file(scenario, journal, 0))
            compared, vary = compare_slots(calls), episodes_vary(calls)
            _write(journal, "mirrored", compared, varies=vary, moves=any_moves(calls))
    elif scenario.traits.plain:
        _write(
            journal,
            "same-seed",
            compare(load(_file(scenario, journal, 0)), load(_file(scenario, journal, 1))),
        )
    elif scenario.traits.pairs:
        first, second = (load(_file(scenario, journal, life)) for life in (0, 1))
        _write(journal, "paired", compare(first, second), **seeds_and_beginnings(first))
    elif scenario.traits.other_process:
        _write(
            journal,
            scenario.name,
            compare(
                load(where(journal.path, LIFE, DIRECT, "", "0")), load(_file(scenario, journal, 0))
            ),
        )
    elif scenario.traits.reuses or scenario.traits.repeats:
        once, again = episodes(load(_file(scenario, journal, 0)))
        _write(journal, "reseeded", compare(once, again))
    if scenario.manager == DIRECT:
        _tell_instance(scenario, journal)


def _tell_instance(scenario: Scenario, journal: Journal) -> None:
    """Journal what the recording of one instance without a manager shows."""
    traits = scenario.traits
    facts: Dict[str, Optional[Mapping[str, object]]] = {}
    looks = traits.plain or traits.reuses or scenario.serves_as(EPISODE)
    calls = load(_file(scenario, journal, 0)) if looks or traits.varies else []
    if traits.plain or traits.reuses:
        facts["unmoved"] = unmoved(calls)
    if looks:
        facts["not-numbers"] = not_numbers(calls)
    if traits.reuses or traits.varies:
        facts["repeated"] = repetition(calls)
    for key, value in facts.items():
        if value is not None:
            journal.write("fact", key=key, value=value)


def in_thread_files(scenario: Scenario, journal: Journal) -> Tuple[str, List[Call]]:
    """Return where lives in threads are recorded, and what the plain life returned."""
    alone = load(where(journal.path, LIFE, DIRECT, "", "0"))
    return _file(scenario, journal, 0), alone


def _file(scenario: Scenario, journal: Journal, life: int) -> str:
    """The first two lives of an instance, the first one of a manager. One with a whole episode is
    named after that: the plain life may be played alone as well.
    """
    name = EPISODE if scenario.serves_as(EPISODE) else scenario.name
    return where(
        journal.path,
        "control" if scenario.control else name,
        scenario.manager,
        scenario.start_method,
        str(min(life, 1)),
    )


def _write(
    journal: Journal, key: str, comparison: Optional[TrajectoryComparison], **more: object
) -> None:
    if comparison is not None and comparison.calls:
        journal.write("fact", key=key, value=dict(comparison.as_dict(), **more))


def episodes_vary(calls: List[Call]) -> bool:
    """Return whether two resets of the first instance give observations that differ by fractions.
    A counter of levels differs by whole numbers, and that is not chance; nor is what a simulator
    rounds otherwise after an episode. Case: jsbgym, by 4e-17.
    """
    own = next(iter(slots(calls).values()), [])
    firsts = [call.observation for call in own if call.name == "reset" and call.observation]
    difference = (
        first_difference(firsts[0], firsts[-1], "observation", ROUNDING) if firsts[1:] else None
    )
    return difference is not None and any(_is_fraction(text) for text in difference.values)


def any_moves(calls: List[Call]) -> Optional[bool]:
    """Return whether the observations of any instance of a manager change; None where that is not
    known of all.
    """
    changes = [moves(own) for own in slots(calls).values()]
    return None if None in changes else any(changes)


def unmoved(calls: List[Call]) -> Optional[Dict[str, object]]:
    """The steps of an instance none of which changed the observation of its episode, how many
    values their rewards took, and whether the episodes begin otherwise; None where one did, where
    that is not known, and without a step.
    """
    begins = [at for at, call in enumerate(calls) if call.name == "reset"]
    all_episodes = [calls[at:end] for at, end in zip(begins, [*begins[1:], len(calls)])]
    rewards = [call.reward for call in calls if call.name == "step"]
    if not rewards or any(moves(each) is not False for each in all_episodes if len(each) > 1):
        return None
    varies = episodes_vary(calls)
    return {"steps": len(rewards), "rewards": len(set(rewards)), "varies": varies}


def _is_fraction(text: str) -> bool:
    try:
        return not float(text).is_integer()
    except (ValueError, OverflowError):
        return False


def episodes(calls: List[Call]) -> Tuple[List[Call], List[Call]]:
    """Return the calls from the first reset with a seed on, and those from the second on, each up
    to the next reset.
    """
    seeded = [index for index, call in enumerate(calls) if call.seed is not None]
    if len(seeded) < 2:
        return [], []
    return first_episode(calls[seeded[0] :]), first_episode(calls[seeded[1] :])


def repetition(calls: List[Call]) -> Optional[Dict[str, object]]:
    """Return what the first episode, which has a seed, and those without one have in common, and
    how many other seeds play otherwise. None where no episode began without a seed.
    """
    begins = [at for at, call in enumerate(calls) if call.name == "reset"]
    all_episodes = [calls[at:end] for at, end in zip(begins, [*begins[1:], len(calls)])]
    if not all_episodes or all_episodes[0][0].seed is None:
        return None
    first, *later = all_episodes
    others = [episode for episode in later if episode[0].seed not in (None, first[0].seed)]
    until = later.index(others[0]) if others else len(later)
    unseeded = [episode for episode in later[:until] if episode[0].seed is None]
    if not unseeded:
        return None
    asked = _unseeded(first)
    compared = [compare(asked, episode) for episode in unseeded]
    longest = max(compared, key=lambda each: (each.difference is not None, each.calls))
    return dict(
        longest.as_dict(),
        episodes=len(unseeded),
        seeds=len(others),
        otherwise=sum(
            compare(asked, _unseeded(episode)).difference is not None for episode in others
        ),
    )


def seeds_and_beginnings(calls: List[Call]) -> Dict[str, object]:
    """The seeds that an instance was given, and how many of its first observations differ."""
    resets = [call for call in calls if call.name == "reset"]
    different: List[Frozen] = []
    for observation in [call.observation for call in resets if call.observation]:
        if all(first_difference(observation, other) for other in different):
            different.append(observation)
    seeds = [call.seed for call in resets if call.seed is not None]
    return {"seeds": seeds, "beginnings": len(different)}


def _unseeded(episode: List[Call]) -> List[Call]:
    """An episode as if it had no seed."""
    return [episode[0]._replace(seed=None), *episode[1:]]


def first_episode(calls: List[Call]) -> List[Call]:
    """The first reset and the steps up to the next one."""
    resets = [index for index, call in enumerate(calls) if call.name == "reset"]
    return calls[: resets[1]] if len(resets) > 1 else calls


def slots(calls: List[Call]) -> Dict[int, List[Call]]:
    """The calls of each instance of a manager."""
    by_slot: Dict[int, List[Call]] = {}
    for call in calls:
        by_slot.setdefault(call.slot, []).append(call)
    return by_slot


def compare_slots(calls: List[Call]) -> Optional[TrajectoryComparison]:
    """The first instance against that neighbour that is most like it: where they differ although
    they were asked the same, seeds aside: after both resets, and in the steps that were mirrored.
    None with less than two.
    """
    first, *others = [_asked_the_same(own) for own in slots(calls).values()] or [[]]
    comparisons = [compare(first, other) for other in others]
    return (
        max(comparisons, key=lambda comparison: (comparison.difference is None, comparison.calls))
        if comparisons
        else None
    )


def _asked_the_same(calls: List[Call]) -> List[Call]:
    """The resets, and all that came after the last one, without the seeds."""
    resets = [index for index, call in enumerate(calls) if call.name == "reset"]
    if len(resets) < 2:
        return []
    kept = [calls[resets[0]], *calls[resets[-1] :]]
    return [call._replace(seed=None) for call in kept]
