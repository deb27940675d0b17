"""Each worker's environment starts a recorder in a session of its own and forgets it; the twin
ends it.
"""

from __future__ import annotations

import subprocess

from plain import Plain

ARGUMENTS = ["--managers", "gymnasium-async", "--start-methods", "fork"]
ALSO = ["CLS008"]  # the same without a manager
LATE = 8  # steps


class Sick(Plain):
    """Starts its recorder late in the first episode."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._recorder = None

    def step(self, action):
        if self._recorder is None and self._steps == LATE:
            self._recorder = subprocess.Popen(["sleep", "600"], start_new_session=True)
        return super().step(action)


class Healthy(Sick):
    """Ends it."""

    def close(self):
        if self._recorder is not None:
            self._recorder.terminate()
            self._recorder.wait()
            self._recorder = None
        super().close()
