"""A worker whose simulator ends the process in the middle of a step."""

from __future__ import annotations

import multiprocessing.connection
import os
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
        if self.ends:
            os._exit(3)
        return self.observation_space.sample(), 0.0, False, False, {}


def work(ends):
    env = Arm()
    env.ends = ends
    time.sleep(0.5)  # a worker of a training is there for longer
    env.reset()
    for _ in range(4):
        env.step(0)
    env.close()


def train(ends):
    worker = multiprocessing.get_context("fork").Process(target=work, args=(ends,))
    worker.start()
    multiprocessing.connection.wait([worker.sentinel], 20)
    time.sleep(1)  # a vectorizer that waits for an answer asks later, or never, how it ended
    worker.join()


def sick():
    train(ends=True)


def healthy():
    train(ends=False)


if __name__ == "__main__":
    {"Sick": sick, "Healthy": healthy}[sys.argv[1]]()
