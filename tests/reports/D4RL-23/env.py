"""A wrapper hands on reset() and step(), and not seed(): that of its base class seeds the wrapper."""

import gym
import numpy as np


class HalfCheetah(gym.Env):
    """The API of gym before 0.26."""

    observation_space = gym.spaces.Box(-10.0, 10.0, (4,), np.float32)
    action_space = gym.spaces.Box(-1.0, 1.0, (2,), np.float32)

    def __init__(self):
        self.seed()

    def seed(self, seed=None):
        self.random = np.random.RandomState(seed)
        return [seed]

    def reset(self):
        self.state = self.random.uniform(-0.1, 0.1, 4).astype(np.float32)
        self.left = 100
        return self.state.copy()

    def step(self, action):
        self.state[:2] = (self.state[:2] + np.float32(0.05) * action).clip(-10, 10)
        self.left -= 1
        return self.state.copy(), float(self.state[0]), self.left == 0, {}


class Proxy(gym.Env):
    def __init__(self, wrapped_env):
        self.wrapped_env = wrapped_env
        self.action_space = wrapped_env.action_space
        self.observation_space = wrapped_env.observation_space

    def reset(self):
        return self.wrapped_env.reset()

    def step(self, action):
        return self.wrapped_env.step(action)


class NormalizedBox(Proxy):
    def step(self, action):
        return super().step(np.clip(action, self.action_space.low, self.action_space.high))


class CuredBox(NormalizedBox):
    def seed(self, seed=None):
        return self.wrapped_env.seed(seed)


def make():
    return NormalizedBox(HalfCheetah())


def cured():
    return CuredBox(HalfCheetah())
