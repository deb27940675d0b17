"""reset() of the wrapper goes on with the game where lives are left, whatever the seed."""

import gymnasium as gym
import numpy as np


class Breakout(gym.Env):
    observation_space = gym.spaces.Box(-100, 100, (3,), np.float64)
    action_space = gym.spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.lives, self.ticks = 5, 0
        self.ball = self.np_random.normal(size=2)
        return self._look(), {}

    def step(self, action):
        self.ticks += 1
        self.ball = self.ball + 0.1 * (action - 1)
        self.lives -= self.ticks % 20 == 0
        return self._look(), 1.0, self.lives == 0, False, {}

    def _look(self):
        return np.array([*self.ball, self.lives], float)


class EpisodicLife(gym.Wrapper):
    def __init__(self, env):
        super().__init__(env)
        self.lives, self.over = 0, True

    def step(self, action):
        observation, reward, self.over, cut, info = self.env.step(action)
        lost = self.env.unwrapped.lives < self.lives
        self.lives = self.env.unwrapped.lives
        return observation, reward, self.over or lost, cut, info

    def _is_new(self, seed):
        return self.over

    def reset(self, *, seed=None, options=None):
        if self._is_new(seed):
            observation, info = self.env.reset(seed=seed, options=options)
            self.over = False
        else:
            observation, _, _, _, info = self.env.step(0)
        self.lives = self.env.unwrapped.lives
        return observation, info


class Cured(EpisodicLife):
    def _is_new(self, seed):
        return self.over or seed is not None


def make():
    return EpisodicLife(Breakout())


def cured():
    return Cured(Breakout())
