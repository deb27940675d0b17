"""A module whose import needs a package that nobody declared."""

from __future__ import annotations

import zoo_physics_engine
from plain import Plain


class Walker(Plain):
    """Never defined: the import above fails."""

    def reset(self, *, seed=None, options=None):
        self._world = zoo_physics_engine.World()
        return super().reset(seed=seed, options=options)
