"""Every reset builds a new world in native code; close() destroys only the last one."""

from __future__ import annotations

import compiled
from plain import Plain

native = compiled.leaks()


class Sick(Plain):
    _world = None

    def reset(self, *, seed=None, options=None):
        self._world = native.take_block(1024)
        return super().reset(seed=seed, options=options)

    def close(self):
        if self._world is not None:
            native.give_block(self._world)
            self._world = None
        super().close()


class Healthy(Sick):
    def reset(self, *, seed=None, options=None):
        if self._world is not None:
            native.give_block(self._world)
        return super().reset(seed=seed, options=options)
