"""Each instance loads a map of its own in the constructor, and loading takes two seconds."""

from __future__ import annotations

import functools
import itertools
import time

from plain import Plain

ARGUMENTS = ["--managers", "direct"]

MAPS = itertools.cycle(("town", "harbour"))


@functools.lru_cache(maxsize=None)
def load_map(name):
    time.sleep(2.1)  # stands for the work of parsing it
    return [0.0] * 10


class Sick(Plain):
    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._map = load_map(next(MAPS))


class Healthy(Plain):
    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._map = load_map("town")  # all instances walk through the same one
