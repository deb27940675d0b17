"""close() of the wrapper completes its own file, and does not close the environment in it."""

import tempfile

import gymnasium as gym
import numpy as np


class Window(gym.Env):
    """Holds a window, which is a file here."""

    observation_space = gym.spaces.Box(-1, 1, (4,), np.float32)
    action_space = gym.spaces.Discrete(2)

    def __init__(self):
        self.viewer = None

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if self.viewer is None:
            self.viewer = tempfile.TemporaryFile()
        self.left = 30
        return self._look(), {}

    def step(self, action):
        self.left -= 1
        return self._look(), 1.0, self.left == 0, False, {}

    def _look(self):
        return self.np_random.uniform(-1, 1, 4).astype(np.float32)

    def close(self):
        if self.viewer is not None:
            self.viewer.close()
            self.viewer = None


class Monitor(gym.Wrapper):
    def __init__(self, env):
        super().__init__(env)
        self.video = []

    def close(self):
        self.video.clear()


class Cured(Monitor):
    def close(self):
        super().close()
        self.env.close()


def make():
    return Monitor(Window())


def cured():
    return Cured(Window())
