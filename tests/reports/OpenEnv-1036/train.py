"""Rollouts take turns by a lock. One that is cancelled while it waits gets the lock, and keeps it."""

import asyncio
import contextlib
import os
import sys
import threading

import gymnasium
import numpy as np

FIXED = "fixed" in sys.argv
GROUPS, ROLLOUTS = 12, 3
_PROC_ENV_LOCK = threading.Lock()
_LOCK_OF_LOOP = asyncio.Lock()


class Terminal(gymnasium.Env):
    """A task of some turns. What its tool may do is in the variables of the process."""

    observation_space = gymnasium.spaces.Box(0.0, 20.0, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def observe(self):
        return np.array([self.turns, self.files], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.turns, self.files = 0, int(self.np_random.integers(1, 6))
        return self.observe(), {}

    def step(self, action):
        self.turns += 1
        self.files -= int(action)
        over = self.files == 0
        return self.observe(), float(over and "AGENT" in os.environ), over, self.turns == 10, {}


@contextlib.contextmanager
def process_env(name):
    os.environ["AGENT"] = name
    try:
        yield
    finally:
        del os.environ["AGENT"]


async def rollout(env, seed):
    if FIXED:
        await _LOCK_OF_LOOP.acquire()
    else:
        await asyncio.to_thread(_PROC_ENV_LOCK.acquire)
    try:
        with process_env("agent"):
            env.reset(seed=seed)
            total, over = 0.0, False
            while not over:
                await asyncio.sleep(0.01)  # the model answers
                _, reward, terminated, truncated, _ = env.step(seed % 2 or 1)
                total += reward
                over = terminated or truncated
            return total
    finally:
        (_LOCK_OF_LOOP if FIXED else _PROC_ENV_LOCK).release()


async def group(envs, seed):
    """The first solution of a task is enough: the other rollouts are cancelled."""
    tasks = [asyncio.create_task(rollout(env, seed + index)) for index, env in enumerate(envs)]
    best = 0.0
    for task in asyncio.as_completed(tasks):
        best = max(best, await task)
        if best > 0.0 and seed > 9:
            for other in tasks:
                other.cancel()
            break
    await asyncio.gather(*tasks, return_exceptions=True)
    return best


async def main():
    envs = [Terminal() for _ in range(ROLLOUTS)]
    for number in range(GROUPS):
        print(f"group {number}: {await group(envs, ROLLOUTS * number):.0f}", flush=True)
    for env in envs:
        env.close()


if __name__ == "__main__":
    asyncio.run(main())
