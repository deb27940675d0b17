"""close() gives up the simulator, and reset() counts on it."""

from __future__ import annotations

from plain import Plain


class Simulator:
    def __init__(self):
        self.runs = 0

    def restart(self):
        self.runs += 1


class Sick(Plain):
    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._simulator = Simulator()

    def reset(self, *, seed=None, options=None):
        self._simulator.restart()
        return super().reset(seed=seed, options=options)

    def close(self):
        self._simulator = None
        super().close()


class Healthy(Sick):
    def reset(self, *, seed=None, options=None):
        if self._simulator is None:
            self._simulator = Simulator()
        return super().reset(seed=seed, options=options)
