"""The monitors of all workers write to one file."""

from __future__ import annotations

import os
import sys
import tempfile
import time

import gymnasium
from gymnasium.vector import AsyncVectorEnv

COMMAND = "watch"
SECONDS = 2.0  # of a training, so that its files are seen while they are open


class Arm(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 1.0, (2,))
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self.observation_space.sample(), {}

    def step(self, action):
        return self.observation_space.sample(), 0.0, False, False, {}


class Monitor(gymnasium.Wrapper):
    def __init__(self, env, path):
        super().__init__(env)
        self.log = open(path, "w")  # noqa: SIM115

    def step(self, action):
        result = self.env.step(action)
        print(result[1], file=self.log, flush=True)
        return result

    def close(self):
        self.log.close()
        self.env.close()


def train(makers):
    envs = AsyncVectorEnv(makers, context="fork")
    envs.reset(seed=1)
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        envs.step([0, 1])
        time.sleep(0.005)
    envs.close()


def sick():
    with tempfile.TemporaryDirectory() as folder:
        train([lambda: Monitor(Arm(), os.path.join(folder, "monitor.csv")) for _ in range(2)])


def healthy():
    with tempfile.TemporaryDirectory() as folder:
        train(
            [
                lambda rank=rank: Monitor(Arm(), os.path.join(folder, f"{rank}.csv"))
                for rank in range(2)
            ]
        )


if __name__ == "__main__":
    {"Sick": sick, "Healthy": healthy}[sys.argv[1]]()
