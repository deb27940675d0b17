"""Rollouts in a thread, whose environment has an event loop of its own."""

import asyncio
import threading

import gymnasium
import numpy as np


class Tools(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 100.0, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(4)

    def __init__(self):
        self.loop = asyncio.new_event_loop()

    async def _call(self):
        await asyncio.sleep(0)
        return np.array([self.turn], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.turn = 0
        return self.loop.run_until_complete(self._call()), {}

    def step(self, action):
        self.turn += 1
        frame = self.loop.run_until_complete(self._call())
        return frame, 0.0, False, self.turn == 10, {}

    def close(self):
        self.loop.close()


def rollout():
    env = Tools()
    for episode in range(3):
        env.reset(seed=episode)
        over = False
        while not over:
            _, _, _, over, _ = env.step(0)
    env.close()


thread = threading.Thread(target=rollout)
thread.start()
thread.join()
