"""reset() enters a loop and returns before it ends, as Playwright's synchronous API does."""

from __future__ import annotations

import asyncio

from plain import Plain

ARGUMENTS = ["--managers", "direct"]


class Sick(Plain):
    _loop = None

    def reset(self, *, seed=None, options=None):
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            asyncio.events._set_running_loop(self._loop)
        return super().reset(seed=seed, options=options)

    def close(self):
        if self._loop is not None:
            asyncio.events._set_running_loop(None)
            self._loop.close()
            self._loop = None


class Healthy(Plain):
    def reset(self, *, seed=None, options=None):
        asyncio.run(asyncio.sleep(0))
        return super().reset(seed=seed, options=options)
