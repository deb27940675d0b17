"""Vector environments that are the subject themselves, and not a manager of it: Gymnasium's, the
older gym's, and pools that only follow their interface.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Callable, List, Optional, Tuple

from envdoctor.model.fast_dataclass import dataclass
from envdoctor.probe import given_actions
from envdoctor.probe.adapters.direct import DirectHost
from envdoctor.probe.adapters.gymnasium.driving import autoreset_mode
from envdoctor.probe.comparison import batches, endings
from envdoctor.probe.frameworks.names import is_instance_of
from envdoctor.probe.frameworks.shapes import Shape, Transition
from envdoctor.probe.wrappers import innermost

if TYPE_CHECKING:
    from gymnasium.spaces import Space
    from gymnasium.vector import VectorEnv
    from numpy import ndarray

CLASSES = (("gymnasium.vector", "VectorEnv"), ("gym.vector", "VectorEnv"))
BY_HAND = "Disabled"  # the mode in which rows that are over wait for a reset
HOSTED = "play it under --managers gymnasium-async"
WITH_WORKERS = ("AsyncVectorEnv",)  # what is a vectorizer, and judged as one where it hosts


@dataclass(frozen=True)
class VectorStep:
    """Values of a step beside the observations, one for each row."""

    reward: object
    terminated: ndarray
    truncated: Optional[ndarray]


class VectorRows(Shape):
    """Each row is an episode of its own, and most begin anew by themselves."""

    NAME = "gymnasium-vector"
    WITHIN = True  # pools are a gymnasium.Env by their class as well

    def recognises(self, environment: object) -> bool:
        """By its class."""
        return any(is_instance_of(environment, *known) for known in CLASSES)

    def refuses(self, environment: object) -> str:
        """A vectorizer with workers of Python's environments is refused."""
        kinds = [kind.__name__ for kind in type(innermost(environment)).__mro__]
        return next(
            (
                "%s is a vectorizer: name the environment itself, and %s" % (name, HOSTED)
                for name in WITH_WORKERS
                if name in kinds
            ),
            "",
        )

    def seeds(self, environment: object) -> bool:
        """A pool is seeded when it is built, and says so."""
        return not hasattr(environment, "all_env_ids")

    def host(self) -> object:
        """One that follows each row."""
        return RowsHost

    def actions(self, environment: VectorEnv) -> object:
        """One for each row. Some declare the space of a single one for all."""
        single = _single(environment, "action_space")
        space = getattr(environment, "action_space", None)
        if given_actions.are_given() and single is not None:
            return Batched(single, environment.num_envs)
        return space if single is None or space != single else Batched(single, environment.num_envs)

    def transition(self, environment: VectorEnv, action: object) -> Transition:
        """One step of all rows. Where they wait, the first one that is over ends all episodes."""
        answer: Tuple[ndarray, ...] = environment.step(action)
        observations, rewards, terminated = answer[:3]
        truncated = answer[3] if len(answer) == 5 else None
        waits = autoreset_mode(environment) == BY_HAND
        ended = waits and bool(terminated.any())
        cut = waits and not ended and truncated is not None and bool(truncated.any())
        return observations, VectorStep(rewards, terminated, truncated), ended, cut, answer[-1]

    def nature(self, environment: VectorEnv) -> object:
        """Number of rows, and the spaces of each."""
        return (
            int(environment.num_envs),
            _single(environment, "observation_space"),
            _single(environment, "action_space"),
        )

    def null(self, nature: Tuple[int, Space, Space]) -> object:
        """As many rows."""
        return _null_class()(*nature)


def _single(environment: VectorEnv, name: str) -> object:
    """The space of one row. SuperSuit's declare no other one, under the name of the space of all;
    None where that one has a place for each row.
    """
    single = getattr(environment, "single_" + name, None)
    space = getattr(environment, name, None)
    if single is not None or space is None:
        return single
    shape = getattr(space, "shape", None) or ()
    rows = len(space) if isinstance(space, Sequence) else next(iter(shape), 0)
    return None if rows == environment.num_envs else space


class RowsHost(DirectHost):
    """One vector environment, whose rows end one by one."""

    @property
    def instances(self) -> int:
        """Number of its rows."""
        return int(self.environment.num_envs)

    def _follow(
        self, episode_ends: endings.Endings, _observation: object, reward: VectorStep, _how: str
    ) -> None:
        """Note which rows ended; they begin anew by themselves, or with the next reset."""
        episode_ends.stepped(set(range(self.instances)) - set(episode_ends.ends))
        for row in range(self.instances):
            cut = reward.truncated is not None and bool(reward.truncated[row])
            how = endings.how(bool(reward.terminated[row]), cut)
            if how:
                episode_ends.ended(row, how, lambda: (endings.NOTHING, {}))
        episode_ends.waiting.clear()


class Batched:
    """The space of one row, for all of them. `source` is the space itself."""

    def __init__(self, single: Space, count: int) -> None:
        self.source = single
        self._single = single
        self._count = int(count)

    def __deepcopy__(self, memo: object) -> "Batched":
        return Batched(copy.deepcopy(self._single), self._count)

    def seed(self, seed: int) -> None:
        """Begin its stream anew."""
        self._single.seed(seed)

    def sample(self, *_mask: object) -> object:
        """One action for each row."""
        return self._batch([self._single.sample() for _ in range(self._count)])

    def for_each(
        self, _info: object, observations: object, ask: Callable[[object, object, object], object]
    ) -> object:
        """The actions of all rows, where `ask` gives one for (row, space, observation)."""
        return self._batch(
            [ask(row, self._single, _of_row(observations, row)) for row in range(self._count)]
        )

    def _batch(self, rows: List[object]) -> object:
        try:
            return batches.batch(self._single, rows)
        except Exception:  # a space that the library does not know
            return rows


def _of_row(observations: object, row: int) -> object:
    """Observation of one row."""
    if isinstance(observations, dict):
        return {name: _of_row(part, row) for name, part in observations.items()}
    return observations[row] if hasattr(observations, "__getitem__") else observations


@lru_cache(maxsize=None)
def _null_class() -> type:
    """Made late and once, as the null environment is."""
    import gymnasium
    import numpy as np

    class NullRows(gymnasium.vector.VectorEnv):  # type: ignore[misc]
        """Every episode is endless."""

        def __init__(self, num_envs: int, observation_space: object, action_space: object) -> None:
            self.num_envs = num_envs
            self.single_observation_space = observation_space
            self.single_action_space = action_space
            batch_space = gymnasium.vector.utils.batch_space
            self.observation_space = batch_space(copy.deepcopy(observation_space), num_envs)
            self.action_space = batch_space(action_space, num_envs)

        def reset(self, *, seed: object = None, options: object = None) -> Tuple[object, object]:
            if seed is not None:
                self.observation_space.seed(seed)
            return self.observation_space.sample(), {}

        def step(self, actions: object) -> object:
            ended: ndarray = np.zeros(self.num_envs, dtype=bool)
            rewards = np.zeros(self.num_envs)
            return self.observation_space.sample(), rewards, ended, ended.copy(), {}

    return NullRows


SHAPE = VectorRows()
