"""Observations share their array with the grid: the agent's writes change the grid."""

import gymnasium
import numpy as np


class Grid(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 10.0, (4,), np.float32)
    action_space = gymnasium.spaces.Discrete(4)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.load = self.np_random.uniform(0.0, 1.0, 4).astype(np.float32)
        self.left = 30
        return self._look(), {}

    def _look(self):
        return self.load

    def step(self, action):
        if np.any(self.load > 5.0):
            raise ValueError("a line carries more than the grid can")
        load = self.load.copy()
        load[int(action)] = (load[int(action)] + 0.1) % 2.0
        self.load = load
        self.left -= 1
        return self._look(), 0.0, False, self.left == 0, {}
