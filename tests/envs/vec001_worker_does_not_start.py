"""Observes a space of its own making, which shared memory cannot hold; the twin observes a
plain one.
"""

from __future__ import annotations

import gymnasium
from plain import Plain

ARGUMENTS = ["--managers", "gymnasium-async", "--start-methods", "fork"]


class Mission(gymnasium.Space):
    """Sentences such as `go to the red door`."""

    WORDS = ("go to the red door", "go to the blue door")

    def __init__(self, seed=None):
        super().__init__(dtype=str, seed=seed)

    def sample(self, mask=None, probability=None):
        return self.WORDS[int(self.np_random.integers(len(self.WORDS)))]

    def contains(self, x):
        return x in self.WORDS

    def __eq__(self, other):
        return isinstance(other, Mission)

    def __hash__(self):
        return hash(Mission)


class Sick(Plain):
    """Is told its mission as it was worded."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self.observation_space = Mission()

    def _observe(self):
        return Mission.WORDS[int(self.np_random.integers(2))]


class Healthy(Plain):
    """Is told the number of its mission."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self.observation_space = gymnasium.spaces.Discrete(len(Mission.WORDS))

    def _observe(self):
        return self.np_random.integers(len(Mission.WORDS))
