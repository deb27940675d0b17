"""A line to walk along: one env of gym's, of before its step() told two ends apart."""

import gym
import illnesses
import numpy as np


class Line(gym.Env):
    """Insists on an action inside its space."""

    observation_space = gym.spaces.Box(-1.0, 1.0, (2,), np.float32)
    action_space = gym.spaces.Discrete(3)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self._begin()
        self.steps = 0
        return self._seen(), {}

    def step(self, action):
        assert self.action_space.contains(action), action
        self._moved()
        self.steps += 1
        return self._seen(), 1.0, self.steps == 8, False, {}

    def _seen(self):
        return self.np_random.uniform(-1.0, 1.0, 2).astype(np.float32)


class Healthy(illnesses.Healthy, Line):
    pass
