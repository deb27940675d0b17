"""Healthy environments with spaces that few managers can hold."""

from __future__ import annotations

import gymnasium
from plain import Plain

spaces = gymnasium.spaces


class Sampled(Plain):
    """Observes what its space draws, from the seed of reset()."""

    def reset(self, *, seed=None, options=None):
        if seed is not None:
            self.observation_space.seed(seed)
        return super().reset(seed=seed)

    def _observe(self):
        return self.observation_space.sample()


class Lists(Sampled):
    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self.observation_space = spaces.Sequence(spaces.Box(0.0, 1.0, (2,)))


class Nested(Sampled):
    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self.observation_space = spaces.Dict(
            arm=spaces.Dict(angle=spaces.Box(-1.0, 1.0, (2,))), goal=spaces.Discrete(3)
        )


class BelowZero(Plain):
    """Left, stay, right; whoever hands it another action is told."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self.action_space = spaces.Discrete(3, start=-1)

    def step(self, action):
        assert self.action_space.contains(action), action
        return super().step(action)
