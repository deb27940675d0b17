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


def train(names):
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in names]
        envs = AsyncVectorEnv(
            [lambda path=path: Monitor(Arm(), path) for path in paths], context="fork"
        )
        envs.reset(seed=1)
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            envs.step([0, 1])
            time.sleep(0.005)
        envs.close()


def sick():
    train(["monitor.csv", "monitor.csv"])


def healthy():
    train(["0.monitor.csv", "1.monitor.csv"])


if __name__ == "__main__":
    {"Sick": sick, "Healthy": healthy}[sys.argv[1]]()
