"""A tool environment that asks for the thread's event loop: only the main thread has one."""

import asyncio
import warnings

import gymnasium
import numpy as np

warnings.filterwarnings("ignore", category=DeprecationWarning, module=__name__)


class Tools(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 100.0, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(4)

    def _loop(self):
        return asyncio.get_event_loop()

    async def _call(self):
        await asyncio.sleep(0)
        return np.array([self.turn], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.turn = 0
        return self._loop().run_until_complete(self._call()), {}

    def step(self, action):
        self.turn += 1
        frame = self._loop().run_until_complete(self._call())
        return frame, 0.0, False, self.turn == 10, {}


class Cured(Tools):
    def __init__(self):
        self.loop = None

    def _loop(self):
        if self.loop is None:
            self.loop = asyncio.new_event_loop()
        return self.loop

    def close(self):
        if self.loop is not None:
            self.loop.close()
            self.loop = None
