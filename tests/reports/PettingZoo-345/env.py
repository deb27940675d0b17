"""EzPickle makes a copy by the constructor: what reset() has set is missing in it."""

import gymnasium
import numpy as np
from gymnasium.utils import EzPickle


class Battle(gymnasium.Env, EzPickle):
    observation_space = gymnasium.spaces.Box(0.0, 100.0, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(21)

    def __init__(self, size=16):
        EzPickle.__init__(self, size)
        self.size = size

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.health = dict.fromkeys(("red", "blue"), self.size)
        return self._look(), {}

    def _look(self):
        return np.array(list(self.health.values()), np.float32)

    def step(self, action):
        agent = "red" if action % 2 else "blue"
        self.health[agent] -= 1
        return self._look(), 0.0, min(self.health.values()) == 0, False, {}


class Cured(Battle):
    def __getstate__(self):
        return dict(self.__dict__)

    def __setstate__(self, state):
        self.__dict__.update(state)
