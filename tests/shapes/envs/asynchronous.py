"""Environments whose reset(), step() and close() are coroutines."""

import asyncio
import random
import threading
import time

KEPT: list[object] = []


class Waiting:
    """Waits in each call, and works in a thread of its loop."""

    def __init__(self):
        self.random = random.Random()

    async def reset(self, seed=None):
        if seed is not None:
            self.random.seed(seed)
        self.steps = 0
        self.begin()
        await asyncio.get_running_loop().run_in_executor(None, time.monotonic)
        return self.random.random(), {}

    def begin(self):
        """For those that take something."""

    async def step(self, action):
        await asyncio.sleep(0)
        self.steps += 1
        return self.random.random(), 0.0, self.steps == 5, False, {}

    async def close(self):
        await asyncio.sleep(0)


class Healthy(Waiting):
    """A task of its own, which close() ends."""

    task = None

    def begin(self):
        if self.task is None:
            self.task = asyncio.get_running_loop().create_task(asyncio.Event().wait())

    async def close(self):
        task, self.task = self.task, None
        if task is not None:
            task.cancel()
            await asyncio.wait([task])


class Leaving(Waiting):
    """Starts a thread for each episode, and fails before it ends any."""

    def begin(self):
        self.stop = threading.Event()
        threading.Thread(target=self.stop.wait, daemon=True).start()

    async def close(self):
        await asyncio.sleep(0)
        raise RuntimeError("the door is stuck")


class Held(Waiting):
    """A task that is never ended holds it."""

    def begin(self):
        self.task = asyncio.get_running_loop().create_task(self.watch())

    async def watch(self):
        self.watched = asyncio.get_running_loop().create_future()
        KEPT.append(self.watched)
        await self.watched


class Beating(Waiting):
    """A task for each instance, which close() forgets."""

    task = None

    def begin(self):
        if self.task is None:
            self.task = asyncio.get_running_loop().create_task(self.beat())

    async def beat(self):
        await asyncio.sleep(1000)


class Failing(Waiting):
    """Its task ends with an error, and nothing awaits it."""

    def begin(self):
        self.task = asyncio.get_running_loop().create_task(self.beat())

    async def beat(self):
        raise ValueError("no joint")
