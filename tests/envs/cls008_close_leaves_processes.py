"""The simulator is a process of its own, and outlives the environment."""

from __future__ import annotations

import subprocess

from plain import Plain

ARGUMENTS = ["--managers", "direct"]
GIVES_WAY = {"LEK007": "CLS008"}

SIMULATOR = ["sleep", "600"]


class Sick(Plain):
    _simulator = None

    def reset(self, *, seed=None, options=None):
        if self._simulator is None:
            self._simulator = subprocess.Popen(SIMULATOR, stdin=subprocess.DEVNULL)
        return super().reset(seed=seed, options=options)


class Healthy(Sick):
    def close(self):
        if self._simulator is not None:
            self._simulator.kill()
            self._simulator.wait()
            self._simulator = None
