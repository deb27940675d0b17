"""Pursuers that chase evaders on a grid."""

import gymnasium
import numpy as np
import screen

SIZE = 16


class Pursuit(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0, SIZE - 1, (8, 2), np.int64)
    action_space = gymnasium.spaces.MultiDiscrete([5] * 4)
    moves = np.array([[-1, 0], [1, 0], [0, 1], [0, -1], [0, 0]])

    def __init__(self):
        screen.init()
        self.frames = 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.places = self.np_random.integers(0, SIZE, (8, 2))
        self.frames = 0
        return self.places.copy(), {}

    def step(self, action):
        self.places[:4] = np.clip(self.places[:4] + self.moves[action], 0, SIZE - 1)
        evaders = self.moves[self.np_random.integers(0, 5, 4)]
        self.places[4:] = np.clip(self.places[4:] + evaders, 0, SIZE - 1)
        caught = int((self.places[:4, None] == self.places[None, 4:]).all(axis=2).sum())
        screen.pump()
        self.frames += 1
        return self.places.copy(), float(caught), False, self.frames == 100, {}


def manual_control():
    env = Pursuit()
    env.reset()
    while env.frames < 100:
        env.step(np.full(4, 4))
        screen.pump()
