"""The wrapper that stacks frames returns its own array, which the next step changes."""

import gymnasium as gym
import numpy as np


class Pixels(gym.Env):
    observation_space = gym.spaces.Box(0, 1, (3,), np.float32)
    action_space = gym.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = 30
        return self.np_random.random(3, np.float32), {}

    def step(self, action):
        self.left -= 1
        return self.np_random.random(3, np.float32), 1.0, self.left == 0, False, {}


class FrameStack(gym.Wrapper):
    def __init__(self, env):
        super().__init__(env)
        self.observation_space = gym.spaces.Box(0, 1, (12,), np.float32)
        self.stacked = np.zeros(12, np.float32)

    def _push(self, frame):
        self.stacked[:-3] = self.stacked[3:]
        self.stacked[-3:] = frame
        return self.stacked

    def reset(self, *, seed=None, options=None):
        self.stacked[:] = 0
        frame, info = self.env.reset(seed=seed, options=options)
        return self._push(frame), info

    def step(self, action):
        frame, reward, over, cut, info = self.env.step(action)
        return self._push(frame), reward, over, cut, info


class Cured(FrameStack):
    def _push(self, frame):
        return super()._push(frame).copy()


def make():
    return FrameStack(Pixels())


def cured():
    return Cured(Pixels())
