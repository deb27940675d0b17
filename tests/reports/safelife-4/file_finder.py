"""Levels: they are made of parameters, one after the other."""

import numpy as np


def safelife_loader(size, seed=None):
    """Generator of levels."""
    generator = np.random.default_rng(seed)
    while True:
        yield generator.integers(0, 2, (size, size)).astype(np.float32)


class SafeLifeLevelIterator:
    def __init__(self, size, seed=None):
        self.size, self.generator = size, np.random.default_rng(seed)

    def __iter__(self):
        return self

    def __next__(self):
        return self.generator.integers(0, 2, (self.size, self.size)).astype(np.float32)
