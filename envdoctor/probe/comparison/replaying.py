"""Questions to managers' instances in their first episode, asked again of an instance without a
manager.
"""

from __future__ import annotations

from typing import Dict, Iterator, List, Mapping, Tuple

from envdoctor.model.scenario import EPISODE, Scenario
from envdoctor.model.subject import Subject
from envdoctor.model.trajectory import Call
from envdoctor.probe.comparison.asking import TYPES, Ask, ask
from envdoctor.probe.comparison.comparing import LIFE, first_episode, slots
from envdoctor.probe.comparison.frozen import first_difference
from envdoctor.probe.comparison.trajectory import (
    TrajectoryComparison,
    compare,
    load,
    moves,
    named,
    recordings,
)
from envdoctor.probe.errors import error_value
from envdoctor.probe.journal import Journal
from envdoctor.probe.ownership import Ownership
from envdoctor.probe.system.deadline import Deadline
from envdoctor.probe.tracing.instrument import BareFactory

Asked = Tuple[object, ...]

CALLS = ("reset", "step")
STEPS = 20  # of the plain life under a manager


def replay(
    scenario: Scenario,
    managers: Mapping[str, object],
    subject: Subject,
    journal: Journal,
    spaces: str,
    ownership: Ownership,
    budget: float,
) -> None:
    """Journal a `replayed` fact for each instance of each manager that was recorded, asked as the
    module of that manager says. Steps end when `budget` seconds are over.
    """
    factory = BareFactory(subject, journal.path, scenario.control, spaces)
    deadline = Deadline(budget)
    answers: Dict[Asked, List[Call]] = {}
    asked_in = "control" if scenario.control else scenario.option("asked_in", LIFE)
    for path in recordings_of(recordings(journal.path), asked_in):
        _, manager, start_method, _ = named(path)
        if manager == scenario.manager:
            continue
        for slot, records in sorted(slots(load(path)).items()):
            episode = first_calls(records)
            if not episode or episode[0].seed is None:
                continue
            place = {
                "manager": manager,
                "start_method": start_method or None,
                "slot": slot,
                "seed": episode[0].seed,
            }
            try:
                fact = _compare(
                    getattr(managers[manager], "ask", ask), factory, episode, answers, deadline
                )
            except (
                Exception
            ) as error:  # the environment's, or a value that cannot be given to it again
                fact = {
                    "skipped": "%s: %s" % (type(error).__name__, error),
                    "error": error_value(error, ownership),
                }
            journal.write("fact", key="replayed", value=dict(place, **fact))


def recordings_of(paths: List[str], asked_in: str) -> Iterator[str]:
    """The recordings of lives with that name: where a manager has none, that of the life with a
    whole episode.
    """
    places = {named(path)[1:] for path in paths if named(path)[0] == asked_in}
    for path in paths:
        name, *place = named(path)
        if name == asked_in or (
            asked_in == LIFE and name == EPISODE and tuple(place) not in places
        ):
            yield path


def first_calls(records: List[Call]) -> List[Call]:
    """The first reset and the steps up to the next one, as many as a plain life has."""
    calls = [call for call in first_episode(records) if call.name in CALLS]
    return calls[: 1 + STEPS]


def _compare(
    question: Ask,
    factory: BareFactory,
    episode: List[Call],
    answers: Dict[Asked, List[Call]],
    deadline: Deadline,
) -> Dict[str, object]:
    asked = (question, episode[0].seed, *(call.action for call in episode[1:]))
    if asked not in answers:
        answers[asked] = question(factory, episode, deadline)
    others = [
        answer for key, answer in answers.items() if key[0] is question and key[1] != asked[1]
    ]
    first = answers[asked][0].observation
    other_firsts = [answer[0].observation for answer in others]
    comparison = compare(answers[asked], episode)
    if (
        question is not ask
        and comparison.difference is not None
        and comparison.difference.what in TYPES
    ):
        return {"skipped": retyped(comparison)}
    if len(answers[asked]) < len(episode) and comparison.difference is None and deadline.passed:
        late = "%d steps, which took too long" % (len(episode) - comparison.calls)
        comparison = comparison._replace(unknown=(*comparison.unknown, late))
    fact = dict(comparison.as_dict(), moves=moves(answers[asked]))
    fact["seeds_matter"] = (
        any(other and first_difference(other, first) is not None for other in other_firsts)
        if other_firsts and first
        else None
    )
    return fact


def retyped(comparison: TrajectoryComparison) -> str:
    """In words, what its manager made of values that are of another type than was declared."""
    assert comparison.difference is not None
    key, what, (alone, under), _ = comparison.difference
    return "the %s of %s is %s alone and %s under the manager, which makes it what is specified" % (
        what,
        key,
        alone,
        under,
    )
