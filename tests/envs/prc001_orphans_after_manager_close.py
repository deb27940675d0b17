"""Each worker's environment starts a simulator in a session of its own and forgets it; the twin ends it."""

from __future__ import annotations

import subprocess

from plain import Plain

ARGUMENTS = ["--managers", "gymnasium-async", "--start-methods", "fork"]
ALSO = ["CLS008"]  # the same without a manager


class Sick(Plain):
    """Starts its simulator at the first reset."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._simulator = None

    def reset(self, *, seed=None, options=None):
        if self._simulator is None:
            self._simulator = subprocess.Popen(["sleep", "60"], start_new_session=True)
        return super().reset(seed=seed, options=options)


class Healthy(Sick):
    """Ends it."""

    def close(self):
        if self._simulator is not None:
            self._simulator.terminate()
            self._simulator.wait()
            self._simulator = None
        super().close()
