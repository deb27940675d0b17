"""Each worker plays a map of its own, and there are fewer maps than workers."""

from __future__ import annotations

import multiprocessing

from plain import Plain

ARGUMENTS = ["--managers", "direct,gymnasium-async", "--start-methods", "fork"]

MAPS = ["town"]


def rank():
    """The number of this process among its siblings; 0 in the main one."""
    identity = multiprocessing.current_process()._identity
    return identity[0] if identity else 0


class Sick(Plain):
    def reset(self, *, seed=None, options=None):
        self._map = MAPS[rank()]
        return super().reset(seed=seed, options=options)


class Healthy(Plain):
    def reset(self, *, seed=None, options=None):
        self._map = MAPS[rank() % len(MAPS)]
        return super().reset(seed=seed, options=options)
