"""reset() makes an event loop, and close() forgets it."""

from __future__ import annotations

import asyncio

from plain import Plain

ARGUMENTS = ["--managers", "direct"]
GIVES_WAY = {"CLS006": "ASY003"}


class Sick(Plain):
    loop = None

    def reset(self, *, seed=None, options=None):
        if self.loop is None:
            self.loop = asyncio.new_event_loop()
        self.loop.run_until_complete(asyncio.sleep(0))
        return super().reset(seed=seed, options=options)

    def close(self):
        if self.loop is not None:
            self.end()
            self.loop = None
        super().close()

    def end(self):
        """Forgets the loop."""


class Healthy(Sick):
    def end(self):
        self.loop.close()
