"""Environments on Acme's simulator."""

import itertools

import acme_simulator
import gymnasium
from gymnasium.spaces import Discrete

NUMBERS = itertools.count(1)


class Sick(gymnasium.Env):
    observation_space = action_space = Discrete(2)
    _licence = None

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._licence = self._licence or str(next(NUMBERS))
        acme_simulator.TAKEN.add(self._licence)
        return 0, {}

    def step(self, action):
        return 0, 0.0, False, False, {}


class Healthy(Sick):
    def close(self):
        acme_simulator.TAKEN.discard(self._licence)
