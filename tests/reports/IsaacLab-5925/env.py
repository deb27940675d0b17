"""A registry keeps each wrapper for good, and with it the buffers of closed instances."""

import gymnasium
import numpy as np

MADE = []


class Cartpole(gymnasium.Env):
    action_space = gymnasium.spaces.Discrete(2)
    drops = False

    def __init__(self):
        self.observation_space = gymnasium.spaces.Box(0, 255, (64, 64, 3), np.uint8)
        self.buffers = {}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return self._look(), {}

    def _look(self):
        self.buffers["camera"] = np.full((64, 64, 3), self.steps, np.uint8)
        return self.buffers["camera"]

    def step(self, action):
        self.steps += 1
        return self._look(), 0.0, False, self.steps == 20, {}

    def close(self):
        if self.drops:
            self.buffers.clear()
            MADE.clear()


class Dropping(Cartpole):
    drops = True


def make():
    env = gymnasium.wrappers.OrderEnforcing(Cartpole())
    MADE.append(env)
    return env


def cured():
    env = gymnasium.wrappers.OrderEnforcing(Dropping())
    MADE.append(env)
    return env
