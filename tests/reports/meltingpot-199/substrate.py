"""An environment on top of the simulator."""

import gymnasium
import numpy as np
from dmlab2d import Lab2d


class Substrate(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0, 1, (8, 8), np.uint8)
    action_space = gymnasium.spaces.Discrete(4)

    def __init__(self, level="clean_up"):
        self.lab2d = Lab2d(level)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.lab2d.start(int(self.np_random.integers(2**31)))
        self.steps = 0
        return self.lab2d.grid.copy(), {}

    def step(self, action):
        reward = self.lab2d.advance(int(action))
        self.steps += 1
        return self.lab2d.grid.copy(), reward, False, self.steps == 200, {}
