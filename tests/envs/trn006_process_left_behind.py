"""A simulator that is started by the training and outlives it."""

from __future__ import annotations

import subprocess
import sys

import gymnasium

COMMAND = "watch"
QUIET = subprocess.DEVNULL


class Arm(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 1.0, (2,))
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self.observation_space.sample(), {}

    def step(self, action):
        return self.observation_space.sample(), 0.0, False, False, {}


def sick():
    env = Arm()
    simulator = subprocess.Popen(["sleep", "15"], stdout=QUIET, stderr=QUIET)
    print(f"simulator {simulator.pid} runs")
    env.reset()
    env.close()


def healthy():
    env = Arm()
    simulator = subprocess.Popen(["sleep", "15"], stdout=QUIET, stderr=QUIET)
    print(f"simulator {simulator.pid} runs")
    env.reset()
    env.close()
    simulator.kill()
    simulator.wait()


if __name__ == "__main__":
    {"Sick": sick, "Healthy": healthy}[sys.argv[1]]()
