"""A step that waits for an answer that does not come."""

from __future__ import annotations

import multiprocessing
import sys
import time

import gymnasium

COMMAND = "watch"


class Arm(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 1.0, (2,))
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self.observation_space.sample(), {}

    def step(self, action):
        time.sleep(self.waits)
        return self.observation_space.sample(), 0.0, False, False, {}


def work(waits):
    env = Arm()
    env.waits = waits
    env.reset()
    env.step(0)
    env.close()


def train(waits, seconds):
    worker = multiprocessing.get_context("fork").Process(target=work, args=(waits,))
    worker.start()
    worker.join(seconds)
    worker.terminate()
    worker.join()


def sick():
    train(waits=60, seconds=9)


def healthy():
    train(waits=3, seconds=60)


if __name__ == "__main__":
    {"Sick": sick, "Healthy": healthy}[sys.argv[1]]()
