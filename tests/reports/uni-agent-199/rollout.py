"""Rollouts of an agent that works in a shell, each in a sandbox of its own."""

import asyncio
import sys

import gymnasium
import numpy as np
from sandbox import CuredSandbox, DockerSandbox

Sandbox = CuredSandbox if "fixed" in sys.argv else DockerSandbox


class ShellEnv(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 10.0, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(4)

    def __init__(self, sandbox):
        self.sandbox = sandbox

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.turns, self.goal = 0, int(self.np_random.integers(4))
        return np.zeros(1, np.float32), {}

    def step(self, action):
        self.turns += 1
        solved = int(action) == self.goal
        return np.array([self.turns], np.float32), float(solved), solved, self.turns == 8, {}


async def rollout(number, startup_timeout):
    sandbox = Sandbox(f"task-{number}", 3.0 if number % 3 == 2 else 0.0)
    env = ShellEnv(sandbox)
    try:
        await asyncio.wait_for(sandbox.start(), startup_timeout)
        env.reset(seed=number)
        reward, over = 0.0, False
        while not over:
            _, reward, done, truncated, _ = env.step(number % 4)
            over = done or truncated
        return reward
    except TimeoutError:
        return 0.0
    finally:
        await sandbox.stop()
        env.close()


async def main():
    rewards = [await rollout(number, startup_timeout=1.0) for number in range(12)]
    print(f"mean reward {sum(rewards) / len(rewards):.2f}", flush=True)


if __name__ == "__main__":
    asyncio.run(main())
