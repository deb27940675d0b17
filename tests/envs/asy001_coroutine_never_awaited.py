"""close() calls the client's close(), which is a coroutine, and does not await it."""

from __future__ import annotations

import asyncio

from plain import Plain

ARGUMENTS = ["--managers", "direct"]


class Client:
    """Speaks with a server."""

    connected = False

    async def connect(self):
        self.connected = True

    async def close(self):
        self.connected = False


class Sick(Plain):
    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._client = Client()

    def reset(self, *, seed=None, options=None):
        asyncio.run(self._client.connect())
        return super().reset(seed=seed, options=options)

    def close(self):
        self._client.close()
        super().close()


class Healthy(Sick):
    def close(self):
        asyncio.run(self._client.close())
        Plain.close(self)
