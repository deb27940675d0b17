"""Each episode has a new level, and the level is a new environment, although reset() of the old
one would do.
"""

from __future__ import annotations

import gymnasium
from plain import Plain

ARGUMENTS = ["--managers", "direct"]


class Healthy(gymnasium.Wrapper):
    def __init__(self, render_mode=None):
        super().__init__(Plain(render_mode))


class Sick(Healthy):
    def reset(self, *, seed=None, options=None):
        level, random = Plain(self.render_mode), self.np_random
        level.np_random = random  # the next level goes on where the last one stopped
        self.env.close()
        self.env = level
        return level.reset(seed=seed, options=options)
