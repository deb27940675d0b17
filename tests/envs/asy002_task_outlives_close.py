"""reset() starts a task on a loop of its own, and close() closes the loop below it."""

from __future__ import annotations

import asyncio

from plain import Plain

ARGUMENTS = ["--managers", "direct"]


class Sick(Plain):
    loop = None

    def reset(self, *, seed=None, options=None):
        if self.loop is None:
            self.loop = asyncio.new_event_loop()
            self.task = self.loop.create_task(self.beat())
        self.loop.run_until_complete(asyncio.sleep(0))
        return super().reset(seed=seed, options=options)

    async def beat(self):
        await asyncio.Event().wait()

    def close(self):
        if self.loop is not None:
            self.end()
            self.loop.close()
            self.loop = None
        super().close()

    def end(self):
        """Forgets the task."""


class Healthy(Sick):
    def end(self):
        self.task.cancel()
        self.loop.run_until_complete(asyncio.wait([self.task]))
