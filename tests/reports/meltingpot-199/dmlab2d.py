"""A stand-in for the binding of a simulator in C++: its object cannot be pickled."""

import numpy as np


class Lab2d:
    def __init__(self, level):
        self.level, self.grid = level, np.zeros((8, 8), np.uint8)

    def __reduce__(self):
        raise TypeError("cannot pickle 'dmlab2d.dmlab2d_pybind.Lab2d' object")

    def start(self, seed):
        self.grid[:] = np.random.default_rng(seed).integers(0, 2, (8, 8))

    def advance(self, action):
        self.grid = np.roll(self.grid, 1, axis=action % 2)
        return float(self.grid[0].sum())
