"""close() ends the simulator and does not wait for it; the twin does."""

from __future__ import annotations

import subprocess

from plain import Plain

ARGUMENTS = ["--managers", "direct"]
ALSO = ["LEK007"]


class Sick(Plain):
    """Talks to a simulator over two pipes."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._simulator = None

    def reset(self, *, seed=None, options=None):
        if self._simulator is None:
            self._simulator = subprocess.Popen(
                ["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
        return super().reset(seed=seed, options=options)

    def close(self):
        if self._simulator is not None:
            self._simulator.stdin.close()  # cat ends with its input
            self._simulator.stdout.read()
            self._simulator.stdout.close()
            self._bury()
            self._simulator = None
        super().close()

    def _bury(self):
        """Nobody asks how it ended. `returncode` is set, as is often done, to silence the
        warning about that.
        """
        self._simulator.returncode = 0


class Healthy(Sick):
    """Waits for it."""

    def _bury(self):
        self._simulator.wait()
