"""The telemetry server goes on listening."""

from __future__ import annotations

import socket

from plain import Plain

ARGUMENTS = ["--managers", "direct"]


class Sick(Plain):
    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._server = socket.create_server(("127.0.0.1", 0))


class Healthy(Sick):
    def close(self):
        self._server.close()
