"""The module of the sick one needs a package that is not there; the twin does without it where
it is missing.
"""

from __future__ import annotations

from plain import Plain

try:
    import zoo_physics_engine
except ImportError:
    zoo_physics_engine = None

TARGETS = {"Sick": "imports/needs_physics.py:Walker", "Healthy": "reg002_import_fails.py:Healthy"}
ARGUMENTS = ["--managers", "direct"]


class Healthy(Plain):
    """Falls back to its own physics."""

    def reset(self, *, seed=None, options=None):
        self._world = zoo_physics_engine.World() if zoo_physics_engine else None
        return super().reset(seed=seed, options=options)
