"""The reward of a program has a time limit; leaving the pool waits for it all the same."""

import asyncio
from concurrent.futures import ProcessPoolExecutor

import gymnasium
import numpy as np

PROGRAMS = (
    "answer = 42",
    "answer = sum(range(7)) * 2",
    "raise ValueError('no idea')",
    "import threading; threading.Event().wait()",
)
LIMIT = 0.3


def evaluate(program):
    scope = {}
    try:
        exec(program, scope)
    except Exception:
        return 0.0
    return float(scope.get("answer") == 42)


async def score(executor, program):
    loop = asyncio.get_running_loop()
    try:
        return await asyncio.wait_for(loop.run_in_executor(executor, evaluate, program), LIMIT)
    except asyncio.TimeoutError:
        return 0.0


class Code(gymnasium.Env):
    """The last of three turns hands in a program."""

    observation_space = gymnasium.spaces.Box(0.0, 10.0, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(len(PROGRAMS))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.turn = 0
        return np.array([0.0], np.float32), {}

    def step(self, action):
        self.turn += 1
        over = self.turn == 3
        reward = self.verify(PROGRAMS[int(action)]) if over else 0.0
        return np.array([self.turn], np.float32), reward, over, False, {}

    def verify(self, program):
        with ProcessPoolExecutor(max_workers=1) as executor:
            return asyncio.run(score(executor, program))


class Cured(Code):
    def verify(self, program):
        with ProcessPoolExecutor(max_workers=1) as executor:
            reward = asyncio.run(score(executor, program))
            for process in executor._processes.values():
                process.kill()
        return reward
