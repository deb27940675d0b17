"""reset() builds a new level and forgets to close the old one."""

from __future__ import annotations

import gymnasium
from plain import Plain

ARGUMENTS = ["--managers", "direct"]
ALSO = ["RUS001"]


class Level(Plain):
    """A level with a buffer of its own, given back by close()."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._trail = bytearray(1000)

    def close(self):
        self._trail = None
        super().close()


class Healthy(gymnasium.Wrapper):
    def __init__(self, render_mode=None):
        super().__init__(Level(render_mode))


class Sick(Healthy):
    def reset(self, *, seed=None, options=None):
        level, random = Level(self.render_mode), self.np_random
        level.np_random = random  # the next level goes on where the last one stopped
        self.env = level
        return level.reset(seed=seed, options=options)
