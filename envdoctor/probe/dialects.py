"""One way to drive environments of every age and kind: Gymnasium, gym 0.19 to 0.26, DI-engine, TorchRL, and objects with reset() and
step() only.
"""

from __future__ import annotations

import inspect
import numbers
from typing import Any, Optional, Tuple

from envdoctor.probe import tensordicts
from envdoctor.probe.tracing.instrument import innermost, is_base_env, is_instance_of

GYMNASIUM, GYM, DING, TORCHRL, DUCK = "gymnasium", "gym", "ding", "torchrl", "duck"


def dialect_of(environment: Any) -> str:
    """Which library's interface the object follows."""
    if is_instance_of(environment, "gymnasium", "Env"):
        return GYMNASIUM
    if is_base_env(environment):  # a gym.Env as well, which is used in another way
        return DING
    if is_instance_of(environment, "gym", "Env"):
        return GYM
    if is_instance_of(environment, "torchrl.envs", "EnvBase"):
        return TORCHRL
    return DUCK


def _seed_by_method(inner: Any, seed: int) -> None:
    """Where reset() does not take a seed."""
    kind = dialect_of(inner)
    method = getattr(inner, "set_seed" if kind == TORCHRL else "seed", None)
    if not callable(method) or kind == GYMNASIUM:
        return
    if kind == TORCHRL:
        method(seed)
    else:
        tell_seed(inner, seed)


def takes_seed(environment: Any) -> bool:
    """Whether reset() accepts `seed=` (gym 0.26, Gymnasium); before that there was a method seed(), and TorchRL has set_seed()."""
    if dialect_of(environment) == TORCHRL:
        return False
    if _has_parameter(environment, inspect.Parameter.VAR_KEYWORD):  # a wrapper of gym 0.26 hands on whatever it gets
        environment = getattr(environment, "unwrapped", environment)
    return _has_parameter(environment, None)


def _has_parameter(environment: Any, kind: Any) -> bool:
    """Whether reset() has a parameter of that kind or, for None, one that is called seed."""
    try:
        parameters = inspect.signature(environment.reset).parameters.values()
    except (TypeError, ValueError):
        return False
    return any(parameter.name == "seed" if kind is None else parameter.kind is kind for parameter in parameters)


def reset(environment: Any, seed: Optional[int], inner: Any) -> Tuple[Any, Any]:
    """Reset; returns (observation, info). `inner` is the untraced object, whose signature says how to seed."""
    if seed is not None and takes_seed(inner):
        result = environment.reset(seed=seed)
    else:
        if seed is not None:
            _seed_by_method(inner, seed)
        result = environment.reset()
    if tensordicts.is_one(result):
        return tensordicts.observation(result), result
    if isinstance(result, tuple) and len(result) == 2 and isinstance(result[1], dict):
        return result
    return result, {}


def tell_seed(environment: Any, seed: int) -> None:
    """Call its method seed(). DI-engine's, left to themselves, draw another seed at every reset."""
    try:
        static = "dynamic_seed" in inspect.signature(environment.seed).parameters
    except (TypeError, ValueError):
        static = False
    environment.seed(seed, **({"dynamic_seed": False} if static else {}))


def step(environment: Any, action: Any) -> Tuple[bool, Any]:
    """Step; returns (episode ended, info)."""
    _, _, terminated, truncated, info = transition(environment, action)
    return terminated or truncated, info


def transition(environment: Any, action: Any) -> Tuple[Any, Any, bool, bool, Any]:
    """Step; returns (observation, reward, terminated, truncated, info), from five values or from the four of older days."""
    result = environment.step(action)
    if isinstance(result, tuple) and len(result) == 5:
        return result[0], result[1], bool(result[2]), bool(result[3]), result[4]
    if isinstance(result, tuple) and len(result) == 4:
        return result[0], result[1], bool(result[2]), False, result[3]
    return tensordicts.transition(result) if tensordicts.is_one(result) else (result, None, False, False, {})


def takes_arrays(environment: Any) -> bool:
    """Whether discrete actions come to it as policies give them."""
    return is_base_env(innermost(environment))


class Arrays:
    """An action space that draws what policies give. `source` is the space itself."""

    def __init__(self, space: Any) -> None:
        self.source = space

    def seed(self, seed: int) -> None:
        """Begin its stream anew."""
        self.source.seed(seed)

    def sample(self, *mask: Any) -> Any:
        """One action."""
        return as_policies_give_it(self.source.sample(*mask))


def as_policies_give_it(action: Any) -> Any:
    """A discrete action as DI-engine's policies hand it to a BaseEnv, and its random_action() does: an array of one. Many insist on it."""
    if not isinstance(action, numbers.Integral):
        return action
    import numpy as np

    return np.array([action], dtype=np.int64)


def can_be_seeded(environment: Any) -> bool:
    """Whether it offers a way to seed it, its library's or its own."""
    try:
        return takes_seed(environment) or callable(getattr(environment, "seed", None)) or dialect_of(environment) == TORCHRL
    except Exception:  # it fails at being asked
        return False


def action_space(environment: Any) -> Any:
    """What actions are drawn from; None where there is nothing."""
    if dialect_of(environment) == TORCHRL:
        return tensordicts.ActionSpec(environment)
    space = getattr(environment, "action_space", None)
    return Arrays(space) if space is not None and takes_arrays(environment) else space
