"""close() knows of the simulator only once reset() has opened its log as well."""

from __future__ import annotations

import os
import subprocess

from plain import Plain

ARGUMENTS = ["--managers", "direct"]

SIMULATOR = ["sleep", "600"]


class Sick(Plain):
    _simulator = None
    _log = None

    def reset(self, *, seed=None, options=None):
        self.close()
        simulator = subprocess.Popen(SIMULATOR, stdin=subprocess.DEVNULL)
        self._log = open(os.devnull, "w")  # noqa: SIM115
        self._simulator = simulator
        return super().reset(seed=seed, options=options)

    def close(self):
        if self._log is not None:
            self._log.close()
            self._log = None
        if self._simulator is not None:
            self._simulator.kill()
            self._simulator.wait()
            self._simulator = None


class Healthy(Sick):
    def reset(self, *, seed=None, options=None):
        self.close()
        self._simulator = subprocess.Popen(SIMULATOR, stdin=subprocess.DEVNULL)
        try:
            self._log = open(os.devnull, "w")  # noqa: SIM115
        except OSError:
            self.close()
            raise
        return Plain.reset(self, seed=seed, options=options)
