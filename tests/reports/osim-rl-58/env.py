"""A muscle simulator whose library has one model in a process: all instances move it."""

import gymnasium
import numpy as np

MODEL = {"angle": 0.0, "speed": 0.0}


class Run(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-1000.0, 1000.0, (2,), np.float64)
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (1,), np.float32)

    def __init__(self):
        self.model = self.load()

    def load(self):
        return MODEL

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.model["angle"] = self.np_random.normal()
        self.model["speed"] = 0.0
        self.steps = 0
        return self.seen(), {}

    def step(self, action):
        self.model["speed"] += float(action[0])
        self.model["angle"] += 0.1 * self.model["speed"]
        self.steps += 1
        return self.seen(), 0.0, self.steps == 30, False, {}

    def seen(self):
        return np.array([self.model["angle"], self.model["speed"]])


class Cured(Run):
    def load(self):
        return dict(MODEL)
