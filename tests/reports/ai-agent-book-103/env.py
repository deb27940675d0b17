"""Each reset() draws a seed of 14 bits, and seeds the generator of the whole process with it."""

import random

import gymnasium
import numpy as np


class TreasureHunt(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 20.0, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(4)
    seeds_all = True

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        number = int(self.np_random.integers(0, 10_001))
        if self.seeds_all:
            random.seed(number)
        self.random_state = random.Random(number)
        self.moves = 0
        self.treasure = self.random_state.randrange(20)
        return self.look(), {}

    def look(self):
        return np.array([self.treasure, self.moves % 20], np.float32)

    def step(self, action):
        self.moves += 1
        if self.random_state.random() < 0.1:
            self.treasure = (self.treasure + int(action)) % 20
        return self.look(), 0.0, False, self.moves == 30, {}


class Cured(TreasureHunt):
    seeds_all = False
