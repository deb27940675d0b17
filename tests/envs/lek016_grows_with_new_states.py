"""Keeps a value for each state that it meets: episodes that begin alike add nothing."""

from __future__ import annotations

import functools

from plain import Plain

COMMAND = "leak"
ARGUMENTS = ["--managers", "direct"]


@functools.lru_cache(maxsize=None)
def value(position):
    return [position] * 8


class Sick(Plain):
    """A drone that remembers what it has worked out for each place it was at."""

    def __init__(self):
        super().__init__()
        self._visits = {}

    def reset(self, *, seed=None, options=None):
        observation, info = super().reset(seed=seed, options=options)
        self._place()
        return observation, info

    def step(self, action):
        result = super().step(action)
        self._place()
        return result

    def _place(self):
        place = round(float(self.np_random.random()), 9)
        self._visits[place] = self._visits.get(place, 0) + 1
        value(place)


class Healthy(Sick):
    """So many places that a table of all is small."""

    def _place(self):
        place = int(self.np_random.integers(40))
        self._visits[place] = self._visits.get(place, 0) + 1
        value(place)
