"""It tells every episode to the terminal."""

from __future__ import annotations

import logging

from plain import Plain

ARGUMENTS = ["--managers", "direct"]

logger = logging.getLogger(__name__)


class Sick(Plain):
    def reset(self, *, seed=None, options=None):
        print(f"new episode, seed {seed}")
        return super().reset(seed=seed, options=options)


class Healthy(Plain):
    def reset(self, *, seed=None, options=None):
        logger.debug("new episode, seed %s", seed)
        return super().reset(seed=seed, options=options)
