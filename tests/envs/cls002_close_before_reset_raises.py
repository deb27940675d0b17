"""close() needs what only reset() makes."""

from __future__ import annotations

import io

from plain import Plain

ARGUMENTS = ["--managers", "direct"]


class Sick(Plain):
    def reset(self, *, seed=None, options=None):
        self._log = io.StringIO()
        return super().reset(seed=seed, options=options)

    def close(self):
        self._log.close()


class Healthy(Sick):
    _log = None

    def close(self):
        if self._log is not None:
            self._log.close()
