"""A policy sees the last four frames; reset() does not touch those of the episode before."""

import gymnasium
import numpy as np

FRAMES = 4


class Robot(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-10.0, 10.0, (3 * FRAMES,), np.float32)
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (3,), np.float32)
    fills = False

    def __init__(self):
        self.history = np.zeros((FRAMES, 3), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        self.posture = self.np_random.uniform(-0.1, 0.1, 3).astype(np.float32)
        if self.fills:
            self.history[:] = self.posture
        return self.observe(), {}

    def observe(self):
        self.history = np.roll(self.history, -1, axis=0)
        self.history[-1] = self.posture
        return self.history.flatten()

    def step(self, action):
        self.steps += 1
        self.posture = np.clip(self.posture + 0.1 * action, -10.0, 10.0).astype(np.float32)
        return self.observe(), 0.0, False, self.steps == 30, {}


class Cured(Robot):
    fills = True
