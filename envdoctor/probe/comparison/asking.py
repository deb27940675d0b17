"""What an instance without a manager answers to what a manager's instance was asked."""

from __future__ import annotations

import contextlib
import time
from typing import Any, Callable, List

from envdoctor.probe import environment_api
from envdoctor.probe.comparison import batches, endings
from envdoctor.probe.comparison.frozen import freeze, thaw
from envdoctor.probe.comparison.trajectory import Record
from envdoctor.probe.tracing.instrument import BareFactory

Ask = Callable[[BareFactory, List[Record], float], List[Record]]

TYPES = ("type", "dtype", "shape", "keys")  # differences that are none of values


def ask(factory: BareFactory, episode: List[Record], deadline: float) -> List[Record]:
    """What an instance answers to a reset and its steps, as a manager would hand it on."""
    return _ask(factory, episode, deadline, beyond=False)


def ask_to_the_end(factory: BareFactory, episode: List[Record], deadline: float) -> List[Record]:
    """The same, with what the end of the episode gave, and the first observation after it."""
    return _ask(factory, episode, deadline, beyond=True)


def _ask(
    factory: BareFactory, episode: List[Record], deadline: float, *, beyond: bool
) -> List[Record]:
    environment = factory()
    try:
        observation, _ = environment_api.reset(environment, episode[0]["seed"], environment)
        space = environment.observation_space  # a lazy one knows it only now
        answers = [
            {"call": "reset", "seed": episode[0]["seed"], "observation": _seen(space, observation)}
        ]
        given = _giving(environment)
        for record in episode[1:]:
            observation, reward, terminated, truncated, info = environment_api.transition(
                environment, given(thaw(record["action"]))
            )
            told = _outcome(space, observation, reward, terminated, truncated)
            answers.append({"call": "step", "action": record["action"], **told})
            if terminated or truncated:
                answers += _end(environment, space, observation, info) if beyond else []
                break
            if time.monotonic() > deadline:
                break
        return answers
    finally:
        with contextlib.suppress(Exception):  # what that raises is reported where it is examined
            environment.close()


def _end(environment: Any, space: Any, observation: Any, info: Any) -> List[Record]:
    """The final observation and info, and the first observation of the next episode."""
    final = {
        "call": endings.FINAL,
        "info": freeze(endings.shown(info)),
        "observation": _seen(space, observation),
    }
    begun, _ = environment_api.reset(environment, None, environment)
    return [final, {"call": endings.BEGUN, "observation": _seen(space, begun)}]


def _giving(environment: Any) -> Callable[[Any], Any]:
    """What makes of an action what an environment takes."""
    if environment_api.takes_arrays(environment):
        return environment_api.as_policies_give_it
    return lambda action: action


def _outcome(
    space: Any, observation: Any, reward: Any, terminated: bool, truncated: bool
) -> Record:
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
