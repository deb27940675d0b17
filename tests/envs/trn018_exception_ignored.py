"""A simulator that is shut down when Python exits, and needs what is gone by then."""

from __future__ import annotations

import atexit
import sys
from concurrent.futures import ThreadPoolExecutor

import gymnasium

COMMAND = "watch"


class Simulator:
    def __init__(self):
        self.commands = ThreadPoolExecutor(1)
        self.is_down = False

    def shut_down(self):
        self.commands.submit(print, "the simulator is shut down").result()
        self.commands.shutdown()
        self.is_down = True

    def shut_down_once(self):
        if not self.is_down:
            self.shut_down()


class Arm(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 1.0, (2,))
    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self):
        self.simulator = Simulator()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self.observation_space.sample(), {}

    def step(self, action):
        return self.observation_space.sample(), 0.0, False, False, {}


def train(env):
    env.reset(seed=1)
    for _ in range(20):
        env.step(0)
    env.close()


def sick():
    env = Arm()
    atexit.register(env.simulator.shut_down)
    train(env)


def healthy():
    env = Arm()
    atexit.register(env.simulator.shut_down_once)
    try:
        train(env)
    finally:
        env.simulator.shut_down()


if __name__ == "__main__":
    {"Sick": sick, "Healthy": healthy}[sys.argv[1]]()
