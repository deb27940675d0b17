"""The simulator stores each state that it reaches; reset() only sets its time back."""

import gymnasium
import numpy as np


class Manager:
    def __init__(self):
        self.storage = []
        self.time = 0.0

    def integrate(self, until):
        self.time = until
        self.storage.append([until, *(0.1 * until for _ in range(40))])
        return self.storage[-1]


class Gait(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-100.0, 100.0, (41,), np.float32)
    action_space = gymnasium.spaces.Box(0.0, 1.0, (18,), np.float32)
    clears = False

    def __init__(self):
        self.manager = Manager()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if self.clears:
            self.manager.storage.clear()
        self.steps = 0
        return np.array(self.manager.integrate(0.0), np.float32), {}

    def step(self, action):
        self.steps += 1
        state = self.manager.integrate(0.01 * self.steps)
        return np.array(state, np.float32), 0.0, False, self.steps == 60, {}


class Cured(Gait):
    clears = True
