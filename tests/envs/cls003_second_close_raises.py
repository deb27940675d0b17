"""close() disconnects from a simulator that refuses to be disconnected twice."""

from __future__ import annotations

from plain import Plain

ARGUMENTS = ["--managers", "direct"]


class Simulator:
    connected = True

    def disconnect(self):
        if not self.connected:
            raise RuntimeError("not connected to a simulator")
        self.connected = False


class Sick(Plain):
    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._simulator = Simulator()

    def close(self):
        self._simulator.disconnect()


class Healthy(Sick):
    def close(self):
        if self._simulator.connected:
            self._simulator.disconnect()
