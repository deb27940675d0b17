"""One way to drive environments of every age and kind: Gymnasium, gym 0.19 to 0.26, DI-engine,
TorchRL, and objects with reset() and step() only.
"""

from __future__ import annotations

import inspect
import itertools
import numbers
from types import CoroutineType
from typing import Any, Dict, Optional, Tuple

from envdoctor.probe import action_classes, awaiting, given_actions, parameters, refusals
from envdoctor.probe.actions import Actions
from envdoctor.probe.adapters.torchrl import tensordicts
from envdoctor.probe.frameworks import shapes
from envdoctor.probe.frameworks.names import is_base_env, is_instance_of
from envdoctor.probe.heartbeat import beat
from envdoctor.probe.wrappers import bare, innermost

#: Kinds of parameters that can be given by their names.
NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)

GYMNASIUM, GYM, DING, TORCHRL, DUCK = "gymnasium", "gym", "ding", "torchrl", "duck"


def api_of(environment: object) -> str:
    """Return the library whose interface the object follows."""
    shape = shapes.of(environment)
    if shape is not None:
        return str(shape.NAME)
    if is_instance_of(environment, "gymnasium", "Env"):
        return GYMNASIUM
    if is_base_env(environment):  # a gym.Env as well, which is used in another way
        return DING
    if is_instance_of(environment, "gym", "Env"):
        return GYM
    if is_instance_of(environment, "torchrl.envs", "EnvBase"):
        return TORCHRL
    return DUCK


def has_late_spaces(api: str) -> bool:
    """Return whether spaces may be known only after a reset, or have other names."""
    return api not in (GYMNASIUM, GYM, DUCK)


def has_reset_parameters(api: str) -> bool:
    """Return whether reset() takes parameters of the environment's own."""
    return api == DING


def seeds_its_spaces(environment: object) -> bool:
    """Return whether those who use it seed its action space, as Gymnasium's manual says."""
    shape = shapes.of(environment)
    if shape is not None:
        return bool(shape.SEEDS_SPACES)
    return api_of(environment) in (GYMNASIUM, GYM)


def is_registered(api: str) -> bool:
    """Return whether an environment with a specification was made from it: one that wraps another
    one was not.
    """
    return api in (GYMNASIUM, GYM, DING, DUCK)


def refused(environment: object) -> str:
    """Return why an object cannot be played, or nothing: what cannot be asked is not accused."""
    if given_actions.failure():
        return given_actions.failure()
    shape = shapes.of(environment)
    if shape is not None:
        return str(shape.refuses(environment))
    kind = api_of(environment)
    if kind == TORCHRL and given_actions.are_given():
        return "%s: its actions are tensordicts, which are only drawn" % given_actions.option()
    return (shapes.single_refused(environment) or unsaid(environment)) if kind == DUCK else ""


def unsaid(environment: object) -> str:
    """Return why the class of its actions does not say which of them are legal, or nothing."""
    try:
        if given_actions.are_given() or getattr(environment, "action_space", None) is not None:
            return ""
        fields = action_classes.space_of(bare(environment))
    except Exception:  # an attribute that fails at being asked for
        return ""
    return "%s; %s" % (fields.why_not, given_actions.HOW) if fields and fields.why_not else ""


def offers_close(environment: object) -> bool:
    """Return whether it has a close() that those who use it call."""
    shape = shapes.of(environment)
    called = shape is None or bool(shape.CLOSES)
    return called and callable(getattr(environment, "close", None))


def has_one_episode(environment: object) -> bool:
    """Return whether those who use it make a new instance for each episode."""
    shape = shapes.of(environment)
    return shape is not None and bool(shape.ONCE)


def is_guessed(environment: object) -> bool:
    """Return whether nothing says which actions it takes: its errors at ours are not its own."""
    shape = shapes.of(environment)
    if shape is not None:
        return bool(shape.GUESSES)
    return api_of(environment) == DUCK and getattr(environment, "action_space", None) is None


def _seed_by_method(inner: object, seed: int) -> None:
    """Seed an environment whose reset() does not take a seed."""
    kind = api_of(inner)
    method = getattr(inner, "set_seed" if kind == TORCHRL else "seed", None)
    if not callable(method) or kind == GYMNASIUM:
        return
    if kind == TORCHRL:
        method(seed)
    else:
        tell_seed(inner, seed)


def takes_seed(environment: object) -> bool:
    """Return whether reset() accepts `seed=` (gym 0.26, Gymnasium); before that there was a
    method seed(), and TorchRL has set_seed().
    """
    if api_of(environment) == TORCHRL:
        return False
    shape = shapes.of(environment)
    if shape is not None and not shape.seeds(environment):
        return False
    # A wrapper of gym 0.26 hands on all that it gets.
    if takes_any_keyword(environment):
        environment = getattr(environment, "unwrapped", environment)
    return _has_parameter(environment, None) or _hands_seed_on(environment)


def _hands_seed_on(environment: object) -> bool:
    """Return whether reset() takes any keyword, and the first of its bases that names its keywords
    names the seed: `def reset(self, **k): super().reset(**k)`.
    """
    if not takes_any_keyword(environment):
        return False
    bases = (base for base in type(environment).__mro__ if "reset" in vars(base))
    naming = (base for base in bases if not takes_any_keyword(base))
    return any(_has_parameter(base, None) for base in itertools.islice(naming, 1))


def takes_any_keyword(environment: object) -> bool:
    """Return whether reset() has a parameter such as `**kwargs`."""
    return _has_parameter(environment, inspect.Parameter.VAR_KEYWORD)


def _has_parameter(environment: Any, kind: object) -> bool:
    """Return whether reset() has a parameter of that kind or, for None, one that is called seed."""
    try:
        own = parameters.of(environment.reset)
    except (TypeError, ValueError):
        return False
    return any(
        parameter.name == "seed" if kind is None else parameter.kind is kind for parameter in own
    )


def reset(environment: Any, seed: Optional[int], inner: object) -> Tuple[object, object]:
    """Reset; returns (observation, info). `inner` is the untraced object, whose signature says
    how to seed.
    """
    shape = shapes.of(inner)
    if shape is not None:
        arguments = {"seed": seed} if seed is not None and takes_seed(inner) else {}
        begun: Tuple[object, object] = shape.reset(environment, **arguments)
        beat()
        return begun
    if seed is not None and takes_seed(inner):
        result = environment.reset(seed=seed)
    else:
        if seed is not None:
            _seed_by_method(inner, seed)
        result = environment.reset(**_insisted_on(inner))
    result = _settled(environment, result)
    beat()
    if tensordicts.is_tensordict(result):
        return tensordicts.observation(result), result
    if isinstance(result, tuple) and len(result) == 2 and isinstance(result[1], dict):
        return result
    return result, {}


def tell_seed(environment: Any, seed: int) -> None:
    """Call its method seed(). DI-engine's, left to themselves, draw another seed at every reset.
    One that takes no seed is called without: procgen's, below wrappers that do take one.
    """
    inner = innermost(environment)
    try:
        inspect.signature(inner.seed).bind(seed)
        static = "dynamic_seed" in inspect.signature(environment.seed).parameters
    except (ValueError, AttributeError):  # it does not say what it takes
        static = False
    except TypeError as error:
        refusals.note("seed(%d)" % seed, "seed()", error, "seed")
        inner.seed()
        return
    environment.seed(seed, **({"dynamic_seed": False} if static else {}))


def _insisted_on(environment: Any) -> Dict[str, object]:
    """The arguments seed and options as None, where reset() has them without a default."""
    try:
        own = parameters.of(environment.reset)
    except (TypeError, ValueError):
        return {}
    needed = [
        parameter.name for parameter in own if not parameter.has_default and parameter.kind in NAMED
    ]
    if not needed or not set(needed) <= {"seed", "options"}:
        return {}
    error = TypeError("reset() has no default for %s" % " and ".join(needed))
    refusals.note("reset()", "reset(%s)" % ", ".join("%s=None" % n for n in needed), error, "reset")
    return dict.fromkeys(needed)


def step(environment: object, actions: Actions, info: object) -> Tuple[bool, object]:
    """Step with the next action; returns (episode ended, info)."""
    observation, _, terminated, truncated, info = transition(environment, actions.draw(info))
    actions.see(observation)
    return terminated or truncated, info


def transition(environment: Any, action: object) -> Tuple[object, object, bool, bool, object]:
    """Step; returns (observation, reward, terminated, truncated, info), from five values or
    from the four of older days.
    """
    shape = shapes.of(environment)
    if shape is not None:
        answer: shapes.Transition = shape.transition(environment, action)
        beat()
        return answer
    result = _settled(environment, environment.step(action))
    beat()
    if isinstance(result, tuple) and len(result) == 5:
        return result[0], result[1], bool(result[2]), bool(result[3]), result[4]
    if isinstance(result, tuple) and len(result) == 4:
        return result[0], result[1], bool(result[2]), False, result[3]
    if tensordicts.is_tensordict(result):
        return tensordicts.transition(result)
    refusals.note_end_unread(result)
    return result, None, False, False, {}


def close(environment: Any) -> None:
    """Close it."""
    try:
        _settled(environment, environment.close())
    finally:
        awaiting.rest()


def _settled(environment: object, answer: object) -> object:
    """Return what a call, or its coroutine, returned: no API of a library has coroutines."""
    if isinstance(answer, CoroutineType) and api_of(environment) == DUCK:
        return awaiting.settled(answer)
    return answer


def takes_arrays(environment: object) -> bool:
    """Return whether discrete actions come to it as policies give them."""
    return is_base_env(innermost(environment))


class Arrays:
    """An action space that draws what policies give. `source` is the space itself."""

    def __init__(self, space: Any) -> None:
        self.source = space

    def seed(self, seed: int) -> None:
        """Begin its stream anew."""
        self.source.seed(seed)

    def sample(self, *mask: object) -> object:
        """One action."""
        return as_policies_give_it(self.source.sample(*mask))

    def fit(self, value: object) -> object:
        """An action of a plain value."""
        return as_policies_give_it(given_actions.fitted(value, self.source))


def as_policies_give_it(action: object) -> object:
    """A discrete action as DI-engine's policies hand it to a BaseEnv, and its random_action()
    does: an array of one. Many insist on it.
    """
    if not isinstance(action, numbers.Integral):
        return action
    import numpy as np

    return np.array([action], dtype=np.int64)


def can_be_seeded(environment: object) -> bool:
    """Return whether it offers a way to seed it, its library's or its own."""
    try:
        if shapes.of(environment) is not None:
            return takes_seed(environment)
        return (
            takes_seed(environment)
            or callable(getattr(environment, "seed", None))
            or api_of(environment) == TORCHRL
        )
    except Exception:  # it fails at being asked
        return False


def action_space(environment: object) -> object:
    """Return the space or class that actions are drawn from; None where there is nothing."""
    shape = shapes.of(environment)
    if shape is not None:
        return shape.actions(environment)
    if api_of(environment) == TORCHRL:
        return tensordicts.ActionSpec(environment)
    space = getattr(environment, "action_space", None)
    if space is None:
        return action_classes.space_of(bare(environment))
    return Arrays(space) if space is not None and takes_arrays(environment) else space
