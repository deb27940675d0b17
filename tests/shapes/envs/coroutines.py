"""An object of no library whose reset(), step() and close() are coroutines."""

import asyncio
import random

import illnesses


class Radio:
    """Waits in each call."""

    def __init__(self):
        self.random = random.Random()

    def _begin(self):
        """For those that take something."""

    def _moved(self):
        """For those that keep something."""

    async def reset(self, seed=None):
        if seed is not None:
            self.random.seed(seed)
        self._begin()
        self.steps = 0
        await asyncio.sleep(0)
        return self.random.random(), {}

    async def step(self, action):
        self._moved()
        self.steps += 1
        await asyncio.sleep(0)
        return self.random.random(), 0.0, self.steps == 5, False, {}


class Healthy(illnesses.Healthy, Radio):
    async def close(self):
        await asyncio.sleep(0)
        illnesses.Healthy.close(self)


class Leaving(illnesses.Leaving, Radio):
    async def close(self):
        await asyncio.sleep(0)
        illnesses.Leaving.close(self)


illnesses.twins(globals(), Radio)
