"""A wrapper ends episodes with each life, and its reset() goes on with a no-op, which may end the game."""

import gymnasium
import numpy as np


class Riverraid(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 100.0, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(3)

    def observe(self):
        return np.array([self.lives, self.fuel], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.lives = 3
        self.fuel = self.np_random.uniform(20.0, 30.0)
        return self.observe(), {}

    def step(self, action):
        self.fuel = max(self.fuel - self.np_random.random(), 0.0)
        if self.np_random.random() < 0.2:
            self.lives -= 1
        return self.observe(), 1.0, self.lives == 0, False, {}


class Monitor(gymnasium.Wrapper):
    needs_reset = True

    def reset(self, **arguments):
        self.needs_reset = False
        return self.env.reset(**arguments)

    def step(self, action):
        if self.needs_reset:
            raise RuntimeError("Tried to step environment that needs reset")
        observation, reward, terminated, truncated, info = self.env.step(action)
        self.needs_reset = terminated or truncated
        return observation, reward, terminated, truncated, info


class EpisodicLife(gymnasium.Wrapper):
    was_real_done = True
    lives = 0

    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        self.was_real_done = terminated or truncated
        lives = self.unwrapped.lives
        if 0 < lives < self.lives:
            terminated = True
        self.lives = lives
        return observation, reward, terminated, truncated, info

    def go_on(self):
        observation, _, _, _, info = self.env.step(0)
        return observation, info

    def reset(self, *, seed=None, options=None):
        if self.was_real_done or seed is not None:
            observation, info = self.env.reset(seed=seed, options=options)
        else:
            observation, info = self.go_on()
        self.lives = self.unwrapped.lives
        return observation, info


class Cured(EpisodicLife):
    def go_on(self):
        observation, _, terminated, truncated, info = self.env.step(0)
        if terminated or truncated:
            observation, info = self.env.reset()
        return observation, info


def make():
    return EpisodicLife(Monitor(Riverraid()))


def make_cured():
    return Cured(Monitor(Riverraid()))
