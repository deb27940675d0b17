"""A script has a pool compute its rewards, and gives up what takes too long."""

from __future__ import annotations

import multiprocessing
import sys
import time

import gymnasium
import numpy as np

COMMAND = "watch"


class Questions(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 99.0, (1,))
    action_space = gymnasium.spaces.Discrete(100)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.question = np.float32(self.np_random.integers(50))
        return np.array([self.question]), {}

    def step(self, action):
        return np.array([self.question]), float(action == self.question), True, False, {}


def reward(seconds):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        time.sleep(0.01)
    return 1.0


class Rewards:
    """Gives up after a tenth of a second."""

    def __init__(self):
        self.pool = multiprocessing.Pool(2)

    def of(self, seconds):
        result = self.pool.apply_async(reward, (seconds,))
        try:
            return result.get(timeout=0.1)
        except multiprocessing.TimeoutError:
            return self.late(result)

    def late(self, result):
        return 0.0

    def close(self):
        self.pool.terminate()
        self.pool.join()


class Ending(Rewards):
    """Ends the pool with what it computes."""

    def late(self, result):
        self.close()
        self.pool = multiprocessing.Pool(2)
        return 0.0


class Polling(Rewards):
    """Waits again."""

    def late(self, result):
        while True:
            try:
                return result.get(timeout=0.2)
            except multiprocessing.TimeoutError:
                continue


def play(kind, seconds):
    rewards, env = kind(), Questions()
    for episode in range(40):
        env.reset(seed=episode)
        env.step(0)
        rewards.of(seconds if episode == 3 else 0.0)
    time.sleep(0.6)
    env.close()
    rewards.close()


def sick():
    play(Rewards, 60.0)


def healthy():
    play(Rewards, 0.5)  # it comes later
    play(Ending, 60.0)
    play(Polling, 0.5)


if __name__ == "__main__":
    {"Sick": sick, "Healthy": healthy}[sys.argv[1]]()
