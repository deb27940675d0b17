"""A race against karts: the seed chooses the track, and the engine draws the opponents by itself."""

import os

import gymnasium
import numpy as np


class Engine:
    """The engine of the game, which seeds itself from the system."""

    def __init__(self, seed=None):
        own = int.from_bytes(os.urandom(4), "little") if seed is None else seed
        self.generator = np.random.default_rng(own)

    def opponents(self):
        return self.generator.normal(size=3)


class Race(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (4,), np.float64)
    action_space = gymnasium.spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.track = float(self.np_random.integers(5))
        self.engine = self.started()
        self.steps = 0
        return self.seen(), {}

    def started(self):
        return Engine()

    def step(self, action):
        self.steps += 1
        return self.seen(), 0.0, self.steps == 20, False, {}

    def seen(self):
        return np.array([self.track, *self.engine.opponents()])


class Cured(Race):
    def started(self):
        return Engine(int(self.np_random.integers(2**31)))
