"""Environments that answer with TimeSteps: dm_env's, and what looks like one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, NamedTuple, Tuple

from envdoctor.probe.frameworks.names import is_instance_of
from envdoctor.probe.frameworks.shapes import Shape, Transition

if TYPE_CHECKING:
    from dm_env import Environment
    from dm_env.specs import Array
    from numpy import ndarray

STREAM = object()  # what actions are drawn from goes on with its stream over all resets
FIRST, MID, LAST = range(3)


class TimeSteps(Shape):
    """It has specifications in place of spaces, and reset() takes no seed."""

    NAME = "dm_env"

    def recognises(self, environment: object) -> bool:
        """By its class, or by specifications that are methods."""
        return is_instance_of(environment, "dm_env", "Environment") or all(
            callable(getattr(environment, name, None))
            for name in ("action_spec", "observation_spec")
        )

    def refuses(self, environment: object) -> str:
        """A pool answers for many at once."""
        if hasattr(environment, "all_env_ids"):
            return (
                'its TimeSteps are of many environments: build the pool with env_type="gymnasium"'
            )
        return ""

    def actions(self, environment: object) -> object:
        """Drawn from its specification."""
        return SpecActions(environment)

    def reset(self, environment: Environment, **arguments: object) -> Tuple[object, object]:
        """Begin an episode."""
        return environment.reset(**arguments).observation, {}

    def transition(self, environment: Environment, action: object) -> Transition:
        """One step. An episode that ends with a discount was cut short."""
        step = environment.step(action)
        over = bool(step.last())
        cut = over and _discounted(step.discount)
        return step.observation, step.reward, over and not cut, cut, {}

    def nature(self, environment: Environment) -> object:
        """Both specifications."""
        return environment.observation_spec(), environment.action_spec()

    def null(self, nature: Tuple[Array, Array]) -> object:
        """Null environment with the same specifications."""
        return NullTimeSteps(*nature)


def _discounted(discount: object) -> bool:
    import numpy as np

    return discount is not None and bool(np.any(np.asarray(discount) > 0))


class SpecActions:
    """Draws values that a specification allows. What is handed out is for a copy: that asks for
    the specification, and begins a stream.
    """

    source = STREAM

    def __init__(self, environment: Environment) -> None:
        self._environment = environment

    def __deepcopy__(self, memo: object) -> "Drawn":
        return Drawn(self._environment.action_spec())


class Drawn:
    """A specification and a stream of its own."""

    source = STREAM

    def __init__(self, spec: Array) -> None:
        self._spec = spec
        self._random: object = None
        self.dtype: object = getattr(spec, "dtype", None)

    def contains(self, action: object) -> bool:
        """Return whether the specification allows it, where it can tell."""
        try:
            self._spec.validate(action)
        except ValueError:
            return False
        return True

    def __repr__(self) -> str:
        return repr(self._spec)

    def seed(self, seed: int) -> None:
        """Begin the stream anew."""
        import numpy as np

        self._random = np.random.RandomState(seed)

    def sample(self, *_mask: object) -> object:
        """One action."""
        return draw(self._spec, self._random)


def draw(spec: Array, random: Any) -> object:
    """A value that a specification allows, in the containers around it. Where it has no
    bounds, within -1 and 1.
    """
    import numpy as np

    if isinstance(spec, Mapping):
        return {name: draw(part, random) for name, part in spec.items()}
    if isinstance(spec, (tuple, list)) and not hasattr(spec, "dtype"):
        return [draw(part, random) for part in spec]
    dtype, shape = np.dtype(spec.dtype), tuple(spec.shape)
    if dtype.kind not in "biuf":
        return spec.generate_value()
    low, high = _bounds(spec, dtype)
    if dtype.kind == "f":
        value = random.uniform(low, high, shape)
    elif dtype.kind == "b":
        value = random.randint(0, 2, shape)
    else:
        value = np.floor(random.uniform(low, high + 1.0, shape))
        value = np.clip(value, low, high)
    return np.asarray(value).astype(dtype) if shape else dtype.type(value)


def _bounds(spec: object, dtype: Any) -> Tuple[ndarray, ndarray]:
    """Both bounds, as far as they are finite."""
    import numpy as np

    low = np.asarray(getattr(spec, "minimum", -np.inf), dtype=float)
    high = np.asarray(getattr(spec, "maximum", np.inf), dtype=float)
    least = 0.0 if dtype.kind == "u" else -1.0
    low = np.where(np.isfinite(low), low, np.minimum(least, np.where(np.isfinite(high), high, 0)))
    return low, np.where(np.isfinite(high), high, np.maximum(1.0, low))


class NullStep(NamedTuple):
    """A TimeStep of a null environment."""

    step_type: int
    reward: object
    discount: object
    observation: object

    def first(self) -> bool:
        """Return whether an episode began."""
        return self.step_type == FIRST

    def mid(self) -> bool:
        """Return whether the episode goes on."""
        return self.step_type == MID

    def last(self) -> bool:
        """Return whether the episode ended."""
        return self.step_type == LAST


class NullTimeSteps:
    """Every episode is endless."""

    def __init__(self, observation_spec: object, action_spec: object) -> None:
        self._specs = (observation_spec, action_spec)
        self._random: object = None

    def observation_spec(self) -> object:
        """Specification of its observations."""
        return self._specs[0]

    def action_spec(self) -> object:
        """Specification of its actions."""
        return self._specs[1]

    def reset(self) -> NullStep:
        """An observation of its specification."""
        import numpy as np

        self._random = np.random.RandomState(0)
        return NullStep(FIRST, None, None, draw(self._specs[0], self._random))

    def step(self, action: object) -> NullStep:
        """Another one."""
        return NullStep(MID, 0.0, 1.0, draw(self._specs[0], self._random))

    def close(self) -> None:
        """Nothing to give back."""


SHAPE = TimeSteps()
