"""A client of a service that plays episodes of an agent; it asks for not too many at a time."""

import asyncio
import sys
import time

FIXED = "fixed" in sys.argv


class Service:
    """Plays an episode of the agent, and puts its result where the client finds it."""

    def __init__(self):
        self.results = {}

    async def invoke(self, key, prompt):
        await asyncio.sleep(0.002)
        self.results[key] = {"prompt": prompt, "reward": float(len(prompt) % 3)}


class RolloutClient:
    def __init__(self, service, tps_limit=500):
        self.service, self.min_interval, self.last = service, 1 / tps_limit, 0.0
        self.invoked = 0

    def _get_async_lock(self):
        if FIXED:
            loop = asyncio.get_running_loop()
            if getattr(self, "_async_lock_loop", None) is not loop:
                self._async_lock, self._async_lock_loop = asyncio.Lock(), loop
        elif not hasattr(self, "_async_lock"):
            self._async_lock = asyncio.Lock()
        return self._async_lock

    async def invoke_async(self, prompt):
        async with self._get_async_lock():
            wait = self.last + self.min_interval - time.monotonic()
            if wait > 0:
                await asyncio.sleep(wait)
            self.last = time.monotonic()
            self.invoked += 1
            key = f"exp-001/{self.invoked}"
        await self.service.invoke(key, prompt)
        return self.service.results.pop(key)

    async def run_batch_async(self, prompts):
        return await asyncio.gather(*map(self.invoke_async, prompts))
