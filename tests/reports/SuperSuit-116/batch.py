"""A wrapper plays three walkers at once, and returns the buffer in which it collects what they see."""

import gymnasium as gym
import numpy as np


class Walker(gym.Env):
    observation_space = gym.spaces.Box(-50.0, 50.0, (2,), np.float32)
    action_space = gym.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = self.np_random.normal(size=2).astype(np.float32)
        self.left = 25
        return self.place.copy(), {}

    def step(self, action):
        self.place[action] += self.np_random.normal()
        self.left -= 1
        return self.place.copy(), 0.0, self.left == 0, False, {}


class Batch(gym.Env):
    walkers = 3

    def __init__(self):
        self.members = [Walker() for _ in range(self.walkers)]
        self.observation_space = gym.spaces.Box(-50.0, 50.0, (self.walkers, 2), np.float32)
        self.action_space = gym.spaces.MultiDiscrete([2] * self.walkers)
        self.observations = np.zeros((self.walkers, 2), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        for number, member in enumerate(self.members):
            own = None if seed is None else seed + number
            self.observations[number] = member.reset(seed=own)[0]
        return self.shown(), {}

    def step(self, actions):
        over = False
        for number, (member, action) in enumerate(zip(self.members, actions)):
            self.observations[number], _, ended, _, _ = member.step(action)
            over = over or ended
        return self.shown(), 0.0, over, False, {}

    def shown(self):
        return self.observations


class Cured(Batch):
    def shown(self):
        return self.observations.copy()
