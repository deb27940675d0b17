"""Environments for the pages of this folder: `Maze` is sick, `Cured` is not."""

import socket

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Discrete


class Maze(gymnasium.Env):
    """Its server is a socket that close() shuts too late: the plotter is gone by then."""

    observation_space = Box(0.0, 1.0, (4,), np.float32)
    action_space = Discrete(4)

    def __init__(self):
        self.server = None
        self.plotter = None

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if self.server is None:
            self.server = socket.create_server(("127.0.0.1", 0))
        return self.np_random.random(4, dtype=np.float32), {}

    def step(self, action):
        return self.np_random.random(4, dtype=np.float32), 0.0, False, False, {}

    def close(self):
        self.plotter.close()
        self.server.close()


class Cured(Maze):
    """Gives back what it took, and only that."""

    def close(self):
        if self.server is not None:
            self.server.close()
            self.server = None


LAYOUTS = []


class Forgetful(Cured):
    """Keeps the layout of every episode, for a plot that nobody draws any more."""

    def reset(self, *, seed=None, options=None):
        observation, info = super().reset(seed=seed, options=options)
        LAYOUTS.append(tuple(float(value) for value in observation))
        return observation, info
