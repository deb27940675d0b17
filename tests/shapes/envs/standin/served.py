"""Environments of OpenEnv's kind without OpenEnv."""

import asyncio
import random
import threading
from dataclasses import dataclass

from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action


@dataclass
class Say(Action):
    message: str = "so"


@dataclass
class Heard:
    echoed: str
    draw: float = 0.0
    done: bool = False
    reward: float = 0.0

    def model_dump(self):
        return dict(vars(self))


class Healthy(Environment):
    def __init__(self):
        self.random = random.Random()

    def reset(self, seed=None, episode_id=None):
        if seed is not None:
            self.random.seed(seed)
        self.steps = 0
        return Heard("ready")

    def step(self, action: Say, timeout_s=None):
        self.steps += 1
        return Heard(action.message, self.random.random(), self.steps == 9, 0.5)


class Leaving(Healthy):
    """Starts a thread, and has no close() that ends it."""

    def reset(self, seed=None, episode_id=None):
        self.stop = threading.Event()
        threading.Thread(target=self.stop.wait, daemon=True).start()
        return super().reset(seed)


class AnyAction(Healthy):
    """Names the base class of all actions."""

    def step(self, action: Action, timeout_s=None):
        return super().step(action)


class Asynchronous(Healthy):
    """The server awaits its coroutines, and never calls reset() or step()."""

    async def reset_async(self, seed=None, episode_id=None):
        await asyncio.sleep(0)
        return Healthy.reset(self, seed)

    async def step_async(self, action: Say, timeout_s=None):
        await asyncio.sleep(0)
        return Healthy.step(self, action)

    def reset(self, seed=None, episode_id=None):
        raise NotImplementedError

    def step(self, action, timeout_s=None):
        raise NotImplementedError


class LeavingLater(Asynchronous):
    """Its close() is a coroutine, which the server never awaits."""

    stop = None

    async def reset_async(self, seed=None, episode_id=None):
        if self.stop is None:
            self.stop = threading.Event()
            threading.Thread(target=self.stop.wait, daemon=True).start()
        return await super().reset_async(seed)

    async def close(self):
        self.stop.set()
