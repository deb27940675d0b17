"""Environments that are well when alone, and not beside another."""

from __future__ import annotations

import itertools
import os

import numpy as np
from plain import Plain


class GlobalRandom(Plain):
    """Seeds what the whole process draws from."""

    def reset(self, *, seed=None, options=None):
        if seed is not None:
            np.random.seed(seed)  # noqa: NPY002
        return super().reset(seed=seed, options=options)

    def _observe(self):
        return np.random.uniform(-1.0, 1.0, 3).astype(np.float32)  # noqa: NPY002


class SharedBody(Plain):
    """A mutable attribute of the class: all instances move one body."""

    position = np.zeros(3, np.float32)

    def reset(self, *, seed=None, options=None):
        self.position[:] = 0
        return super().reset(seed=seed, options=options)

    def step(self, action):
        self.position += 0.01
        return super().step(action)

    def _observe(self):
        return self.position.copy()


class ForgetsOthers(Plain):
    """close() empties a table of the module."""

    table = {}

    def reset(self, *, seed=None, options=None):
        self.table.setdefault("speed", 0.5)
        return super().reset(seed=seed, options=options)

    def _observe(self):
        return np.full(3, self.table.get("speed", 0.0), np.float32)

    def close(self):
        self.table.clear()


class TakenAlong(ForgetsOthers):
    """What is collected takes along what all share."""

    def close(self):
        pass

    def __del__(self):
        self.table.clear()


class NoCopy(Plain):
    """Its copy is itself."""

    def __deepcopy__(self, memo):
        return self


class Uncopied(Plain):
    def __deepcopy__(self, memo):
        raise TypeError("no copies")


class Unseeded(Plain):
    """Not reproducible, alone or not: nobody can say whether others interfere."""

    def _observe(self):
        return np.frombuffer(os.urandom(3), np.uint8).astype(np.float32) / 300


class Numbered(Plain):
    """No two instances are alike: what differs is not the other's doing."""

    _numbers = itertools.count()

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._number = max(0, next(self._numbers) - 30)

    def _observe(self):
        return np.full(3, 1 / (1 + self._number), np.float32)


class OneEpisode(Plain):
    """Refuses a reset in the middle of an episode."""

    def reset(self, *, seed=None, options=None):
        if 0 < self._steps < 10:
            raise RuntimeError("the episode is not over")
        return super().reset(seed=seed, options=options)
