"""What managers' instances were asked in their first episode, asked again of an instance
without a manager.
"""

from __future__ import annotations

import contextlib
import time
from typing import Any, Callable, Dict, List, Tuple

from envdoctor.model.scenario import Scenario
from envdoctor.model.subject import Subject
from envdoctor.probe import adapters, environment_api
from envdoctor.probe.comparison import batches
from envdoctor.probe.comparison.comparing import slots
from envdoctor.probe.comparison.frozen import first_difference, freeze, thaw
from envdoctor.probe.comparison.trajectory import (
    Comparison,
    Record,
    compare,
    load,
    named,
    recordings,
)
from envdoctor.probe.errors import error_value
from envdoctor.probe.journal import Journal
from envdoctor.probe.ownership import Ownership
from envdoctor.probe.tracing.instrument import BareFactory

Asked = Tuple[Any, ...]
Ask = Callable[[BareFactory, List[Record], float], List[Record]]

TYPES = ("type", "dtype", "shape", "keys")  # differences that are none of values


def replay(
    scenario: Scenario,
    subject: Subject,
    journal: Journal,
    spaces: str,
    ownership: Ownership,
    budget: float,
) -> None:
    """Journal a `replayed` fact for each instance of each manager that was recorded. Steps end
    when `budget` seconds are over.
    """
    factory = BareFactory(subject, journal.path, scenario.control, spaces)
    deadline = time.monotonic() + budget
    answers: Dict[Asked, List[Record]] = {}
    asked_in = "control" if scenario.control else dict(scenario.options).get("asked_in", "life")
    for path in recordings(journal.path):
        name, manager, start_method, _ = named(path)
        if name != asked_in or manager == scenario.manager:
            continue
        for slot, records in sorted(slots(load(path)).items()):
            episode = first_episode(records)
            if not episode or episode[0].get("seed") is None:
                continue
            place = {
                "manager": manager,
                "start_method": start_method or None,
                "slot": slot,
                "seed": episode[0]["seed"],
            }
            try:
                told = _compare(
                    getattr(adapters.modules()[manager], "ask", _ask),
                    factory,
                    episode,
                    answers,
                    deadline,
                )
            except (
                Exception
            ) as error:  # the environment's, or a value that cannot be given to it again
                told = {
                    "skipped": "%s: %s" % (type(error).__name__, error),
                    "error": error_value(error, ownership),
                }
            journal.write("fact", key="replayed", value=dict(place, **told))


def first_episode(records: List[Record]) -> List[Record]:
    """The first reset and the steps up to the next one."""
    resets = [index for index, record in enumerate(records) if record["call"] == "reset"]
    return records[: resets[1]] if len(resets) > 1 else records


def _compare(
    ask: Ask,
    factory: BareFactory,
    episode: List[Record],
    answers: Dict[Asked, List[Record]],
    deadline: float,
) -> Dict[str, Any]:
    asked = (ask, episode[0]["seed"], *(record["action"] for record in episode[1:]))
    if asked not in answers:
        answers[asked] = ask(factory, episode, deadline)
    others = [answer for key, answer in answers.items() if key[0] is ask and key[1] != asked[1]]
    first = answers[asked][0]["observation"]
    comparison = compare(answers[asked], episode)
    if (
        ask is not _ask
        and comparison.difference is not None
        and comparison.difference.what in TYPES
    ):
        return {"skipped": retyped(comparison)}
    told = comparison.as_dict()
    told["seeds_matter"] = (
        any(first_difference(other[0]["observation"], first) is not None for other in others)
        if others
        else None
    )
    return told


def retyped(comparison: Comparison) -> str:
    """In words, what its manager made of values that are of another type than was declared."""
    assert comparison.difference is not None
    key, what, (alone, under), _ = comparison.difference
    return "the %s of %s is %s alone and %s under the manager, which makes it what is specified" % (
        what,
        key,
        alone,
        under,
    )


def _ask(factory: BareFactory, episode: List[Record], deadline: float) -> List[Record]:
    """What an instance answers, as a manager would hand it on."""
    environment = factory()
    try:
        observation, _ = environment_api.reset(environment, episode[0]["seed"], environment)
        space = environment.observation_space  # a lazy one knows it only now
        answers = [
            {"call": "reset", "seed": episode[0]["seed"], "observation": _seen(space, observation)}
        ]
        given = giving(environment)
        for record in episode[1:]:
            observation, reward, terminated, truncated, _ = environment_api.transition(
                environment, given(thaw(record["action"]))
            )
            answers.append(
                {
                    "call": "step",
                    "action": record["action"],
                    **outcome(space, observation, reward, terminated, truncated),
                }
            )
            if terminated or truncated or time.monotonic() > deadline:
                break
        return answers
    finally:
        end(environment)


def giving(environment: Any) -> Callable[[Any], Any]:
    """What makes of an action what an environment takes."""
    if environment_api.takes_arrays(environment):
        return environment_api.as_policies_give_it
    return lambda action: action


def end(environment: Any) -> None:
    """Close it. What that raises is reported where closing is examined."""
    with contextlib.suppress(Exception):
        environment.close()


def outcome(space: Any, observation: Any, reward: Any, terminated: bool, truncated: bool) -> Record:
    """One step, in the types that vector environments give."""
    import numpy as np

    rewards = np.asarray(reward, dtype=np.float64)
    # DI-engine's are arrays of one; some have several, for as many aims.
    seen = rewards.reshape(-1)[0] if rewards.size == 1 else rewards
    told = {
        "reward": freeze(seen),
        "terminated": freeze(np.bool_(terminated)),
        "truncated": freeze(np.bool_(truncated)),
    }
    if not (terminated or truncated):  # else the manager may show the next episode's already
        told["observation"] = _seen(space, observation)
    return told


def _seen(space: Any, observation: Any) -> Any:
    return freeze(batches.as_seen(space, observation))
