"""A tool environment that asks for the thread's event loop: only the main thread has one."""

import asyncio
import warnings

import gymnasium
import numpy as np

warnings.filterwarnings("ignore", category=DeprecationWarning, module=__name__)


class Tools(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 100.0, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(4)

    async def _call(self):
        await asyncio.sleep(0)
        return np.array([self.turn], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.turn = 0
        loop = asyncio.get_event_loop()
        return loop.run_until_complete(self._call()), {}

    def step(self, action):
        self.turn += 1
        loop = asyncio.get_event_loop()
        frame = loop.run_until_complete(self._call())
        return frame, 0.0, False, self.turn == 10, {}
