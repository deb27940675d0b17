"""Answers of an instance without a manager to what a manager's instance was asked."""

from __future__ import annotations

import contextlib
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Callable, List, NamedTuple

from envdoctor.model.trajectory import Call
from envdoctor.probe import environment_api
from envdoctor.probe.comparison import batches, endings
from envdoctor.probe.comparison.frozen import freeze, thaw
from envdoctor.probe.system.deadline import Deadline
from envdoctor.probe.tracing.instrument import BareFactory

if TYPE_CHECKING:
    from envdoctor.model.trajectory import Frozen

Ask = Callable[[BareFactory, List[Call], Deadline], List[Call]]

TYPES = ("type", "dtype", "shape", "keys")  # differences that are none of values


class Types(NamedTuple):
    """Conversions of single values by a manager: `space_of` is what observations are in,
    `observation_of` makes one of (space, observation), `rewarded` of a reward.
    """

    space_of: Callable[[object], object]
    observation_of: Callable[..., object]
    rewarded: Callable[..., object]


def ask(factory: BareFactory, episode: List[Call], deadline: Deadline) -> List[Call]:
    """Return what an instance answers to a reset and its steps, as a manager would hand it on."""
    return answers_to(factory, episode, deadline, OF_BATCHES, beyond=False)


def ask_to_the_end(factory: BareFactory, episode: List[Call], deadline: Deadline) -> List[Call]:
    """Return also what the end of the episode gave, and the first observation after it."""
    return answers_to(factory, episode, deadline, OF_BATCHES)


def answers_to(
    factory: BareFactory,
    episode: List[Call],
    deadline: Deadline,
    types: Types,
    *,
    beyond: bool = True,
) -> List[Call]:
    """Return what an instance answers, in the types of a manager."""
    environment = factory()
    try:
        observation, _ = environment_api.reset(environment, episode[0].seed, environment)
        space = types.space_of(environment)  # a lazy one knows it only now
        frozen = partial(_frozen, types, space)
        answers = [Call("reset", seed=episode[0].seed, observation=frozen(observation))]
        converted = _action_converter(environment)
        for asked in episode[1:]:
            observation, reward, terminated, truncated, info = environment_api.transition(
                environment, converted(thaw(asked.action))
            )
            over = terminated or truncated
            outcome = _outcome(types.rewarded(reward), terminated, truncated)._replace(
                action=asked.action
            )
            # Else the manager may show the next episode's already.
            answers.append(outcome if over else outcome._replace(observation=frozen(observation)))
            if over:
                answers += _end(environment, frozen, observation, info) if beyond else []
                break
            if deadline.passed:
                break
        return answers
    finally:
        with contextlib.suppress(Exception):  # what that raises is reported where it is examined
            environment.close()


def _end(
    environment: object, frozen: Callable[[object], Frozen], observation: object, info: object
) -> List[Call]:
    """The final observation and info, and the first observation of the next episode."""
    final = Call(endings.FINAL, observation=frozen(observation), info=freeze(endings.shown(info)))
    begun, _ = environment_api.reset(environment, None, environment)
    return [final, Call(endings.BEGUN, observation=frozen(begun))]


def _action_converter(environment: object) -> Callable[[object], object]:
    """Return a function that makes of an action what an environment takes."""
    if environment_api.takes_arrays(environment):
        return environment_api.as_policies_give_it
    return lambda action: action


def _outcome(reward: object, terminated: bool, truncated: bool) -> Call:
    """One step, in the types that vector environments give."""
    import numpy as np

    return Call(
        "step",
        reward=freeze(reward),
        terminated=freeze(np.bool_(terminated)),
        truncated=freeze(np.bool_(truncated)),
    )


def _rewarded(reward: object) -> object:
    import numpy as np

    rewards = np.asarray(reward, dtype=np.float64)
    # DI-engine's are arrays of one; some have several, for as many aims.
    return rewards.reshape(-1)[0] if rewards.size == 1 else rewards


def _frozen(types: Types, space: object, observation: object) -> Frozen:
    return freeze(types.observation_of(space, observation))


OF_BATCHES = Types(attrgetter("observation_space"), batches.as_seen, _rewarded)
