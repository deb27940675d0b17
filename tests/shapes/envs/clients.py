"""Environments that are clients of an OpenEnv server, whose address is in NOTES_URL."""

import os

from openenv.core import GenericEnvClient

SAID = {"message": "hello"}


class Forgetting:
    """Gives its client up, and the server keeps the session."""

    client = None

    def reset(self, seed=None):
        if self.client is None:
            self.client = GenericEnvClient(base_url=os.environ["NOTES_URL"]).sync()
            self.client.connect()
        return self.client.reset(seed=seed).observation, {}

    def step(self, action):
        result = self.client.step(SAID)
        return result.observation, result.reward or 0.0, result.done, False, {}

    def close(self):
        self.client = None


class Healthy(Forgetting):
    def close(self):
        if self.client is not None:
            self.client.close()
            self.client = None


class Unawaited:
    """Calls a coroutine of its client's, and does not await it."""

    client = None

    async def reset(self, seed=None):
        if self.client is None:
            self.client = GenericEnvClient(base_url=os.environ["NOTES_URL"])
            await self.client.connect()
        return (await self.client.reset(seed=seed)).observation, {}

    async def step(self, action):
        result = await self.client.step(SAID)
        return result.observation, result.reward or 0.0, result.done, False, {}

    async def close(self):
        if self.client is not None:
            self.client.close()
