"""A simulator in an isolated Python."""

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


def train(option, seconds):
    env = Arm()
    env.reset()
    simulator = subprocess.Popen([sys.executable, option, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        simulator.wait(seconds)
    except subprocess.TimeoutExpired:
        simulator.stdin.close()
        simulator.wait()
    env.close()


def sick():
    train("-I", seconds=4)


def healthy():
    train("-s", seconds=0.5)


if __name__ == "__main__":
    {"Sick": sick, "Healthy": healthy}[sys.argv[1]]()
