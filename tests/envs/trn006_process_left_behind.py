"""A simulator that is started by the training and outlives it."""

from __future__ import annotations

import subprocess
import sys

import gymnasium

COMMAND = "watch"


class Arm(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 1.0, (2,))
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self.observation_space.sample(), {}

    def step(self, action):
        return self.observation_space.sample(), 0.0, False, False, {}


def train(end):
    env = Arm()
    simulator = subprocess.Popen(
        ["sleep", "15"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    env.reset()
    env.close()
    if end:
        simulator.kill()
        simulator.wait()


def sick():
    train(end=False)


def healthy():
    train(end=True)


if __name__ == "__main__":
    {"Sick": sick, "Healthy": healthy}[sys.argv[1]]()
