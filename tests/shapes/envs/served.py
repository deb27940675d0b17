"""Environments of OpenEnv's, and the application that serves one of them."""

import asyncio
import os
import random

from openenv.core.env_server.http_server import create_fastapi_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State


class Say(Action):
    message: str


class Heard(Observation):
    echoed: str = ""
    draw: float = 0.0


class Healthy(Environment):
    """Repeats what it hears, nine times."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self):
        super().__init__()
        self.random = random.Random(0)
        self.steps = 0

    def reset(self, seed=None, episode_id=None, **others) -> Heard:
        if seed is not None:
            self.random.seed(seed)
        self.steps = 0
        return Heard(echoed="ready")

    def step(self, action: Say, timeout_s=None, **others) -> Heard:
        assert isinstance(action, Say)
        self.steps += 1
        return Heard(
            echoed=action.message, draw=self.random.random(), reward=0.5, done=self.steps >= 9
        )

    @property
    def state(self):
        return State(step_count=self.steps)


class Later(Healthy):
    """Its server awaits these, and never calls reset() or step()."""

    async def reset_async(self, seed=None, episode_id=None, **others) -> Heard:
        await asyncio.sleep(0)
        return Healthy.reset(self, seed)

    async def step_async(self, action: Say, timeout_s=None, **others) -> Heard:
        await asyncio.sleep(0)
        return Healthy.step(self, action)

    def reset(self, seed=None, episode_id=None, **others) -> Heard:
        raise NotImplementedError

    def step(self, action: Say, timeout_s=None, **others) -> Heard:
        raise NotImplementedError


class Short(Healthy):
    """Episodes of two steps, whose calls are written down."""

    def __init__(self, log):
        super().__init__()
        self.log = log

    def reset(self, seed=None, episode_id=None, **others) -> Heard:
        self.write("reset")
        return super().reset(seed)

    def step(self, action: Say, timeout_s=None, **others) -> Heard:
        self.write("step")
        heard = super().step(action)
        heard.done = self.steps >= 2
        return heard

    def write(self, call):
        with open(self.log, "a") as file:
            file.write(f"{os.getpid()}-{id(self)} {call}\n")


app = create_fastapi_app(Healthy, Say, Heard)
