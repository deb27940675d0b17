"""A wrapper normalizes images to floats, and its space stays one of bytes."""

import gymnasium
import numpy as np


class CarRacing(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0, 255, (12, 12), np.uint8)
    action_space = gymnasium.spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        self.image = self.np_random.integers(0, 256, (12, 12), np.uint8)
        return self.image.copy(), {}

    def step(self, action):
        self.steps += 1
        self.image = np.roll(self.image, int(action), axis=1)
        return self.image.copy(), 0.0, False, self.steps == 20, {}


class NormalizeObservation(gymnasium.ObservationWrapper):
    def observation(self, observation):
        return observation.astype(np.float32) / np.float32(255.0) - np.float32(0.5)


class Cured(NormalizeObservation):
    def __init__(self, env):
        super().__init__(env)
        self.observation_space = gymnasium.spaces.Box(-0.5, 0.5, (12, 12), np.float32)


def make():
    return NormalizeObservation(CarRacing())


def make_cured():
    return Cured(CarRacing())
