"""Actors of RLlib: runners with methods that take the player's actions. This module is
imported with the framework, also in the actor.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Callable, Dict, List, Optional, Sequence, Tuple

from ray.rllib.env.single_agent_env_runner import SingleAgentEnvRunner

from envdoctor.probe.adapters.rllib.driving import GivenEnv, noted_class
from envdoctor.probe.comparison import batches

if TYPE_CHECKING:
    from gymnasium.vector import VectorEnv
    from ray.rllib.env.env_context import EnvContext


class Factories:
    """Environment of the configuration: each actor builds with the factory of its
    number, which begins with 1.
    """

    def __init__(self, factories: List[Callable[[], object]]) -> None:
        self.factories = factories

    def __call__(self, context: EnvContext) -> object:
        """The instance of the actor that asks."""
        return self.factories[context.worker_index - 1]()


class Runner(SingleAgentEnvRunner):  # type: ignore[misc]
    """A SingleAgentEnvRunner of one instance."""

    env: VectorEnv

    def make_env(self) -> None:
        """Build the instance; what its vector environment returns is noted."""
        super().make_env()
        self.returned: List[Tuple[object, ...]] = []
        self.env = noted_class()(self.env, self.returned)

    def reset_instance(self, seeds: Optional[List[int]]) -> Tuple[object, object, object]:
        """Reset. Return the observations, and the spaces of observations and actions."""
        if seeds is not None:
            self._seed = self._mine(seeds)
            self._needs_initial_reset = True
        observations, _ = self._sample_with(0, None, force_reset=True)[-1]
        return observations, self.env.single_observation_space, self.env.single_action_space

    def step_instance(self, actions: List[object]) -> List[Tuple[object, ...]]:
        """Step once. Return its values, after those of a reset where an episode has ended."""
        batch = batches.batch(self.env.single_action_space, [self._mine(actions)])
        return self._sample_with(1, batch)

    def _mine(self, values: Sequence[object]) -> object:
        return values[self.worker_index - 1]

    def _sample_with(self, steps: int, actions: object, **how: object) -> List[Tuple[object, ...]]:
        del self.returned[:]
        self.env.action_space = GivenEnv(actions)
        try:
            self.sample(num_timesteps=steps, random_actions=True, **how)
        finally:
            self.env.action_space = None
        return list(self.returned)

    def process(self) -> int:
        """The process that it is in."""
        return os.getpid()

    def read(self) -> Dict[str, object]:
        """Meters of the actor."""
        return dict(self.env.unwrapped.call("envdoctor_read")[0])

    def fail(self, name: str) -> None:
        """Raise."""
        self.env.unwrapped.call("envdoctor_raise", name)
