"""Observations with words in them."""

from __future__ import annotations

import gymnasium
from plain import Plain


class Instructed(Plain):
    """Is told in words where to go; another place in every episode."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        spaces = gymnasium.spaces
        self.observation_space = spaces.Dict(
            position=self.observation_space, mission=spaces.Text(16)
        )

    def _observe(self):
        return {"position": super()._observe(), "mission": f"go{self.np_random.integers(1000)}"}
