"""The constructor opens the socket to the simulator, which only reset() needs."""

from __future__ import annotations

import socket

from plain import Plain


class Healthy(Plain):
    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._socket = None

    def reset(self, *, seed=None, options=None):
        self._connect()
        return super().reset(seed=seed, options=options)

    def close(self):
        if self._socket is not None:
            self._socket.close()
            self._socket = None
        super().close()

    def _connect(self):
        if self._socket is None:
            self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)


class Sick(Healthy):
    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._connect()
