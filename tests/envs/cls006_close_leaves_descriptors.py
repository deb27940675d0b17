"""The level's file stays open."""

from __future__ import annotations

from plain import Plain

ARGUMENTS = ["--managers", "direct"]

LEVEL = __file__  # any file will do


class Sick(Plain):
    _level = None

    def reset(self, *, seed=None, options=None):
        if self._level is None:
            self._level = open(LEVEL)  # noqa: SIM115
        self._level.seek(0)
        return super().reset(seed=seed, options=options)


class Healthy(Sick):
    def close(self):
        if self._level is not None:
            self._level.close()
            self._level = None
