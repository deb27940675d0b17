"""Each trial makes an environment and closes it, and what records it keeps it."""

from __future__ import annotations

import functools
import sys
import weakref

import gymnasium
import numpy as np

COMMAND = "watch"
TRIALS = 12


class Kitchen(gymnasium.Env):
    """It is as large as its scene."""

    observation_space = gymnasium.spaces.Box(-10.0, 10.0, (2,))
    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self):
        self.scene = np.zeros(1 << 16)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = self.np_random.uniform(-1.0, 1.0, 2)
        return self.place.astype(np.float32), {}

    def step(self, action):
        self.place = (self.place + 0.1 * (2 * action - 1)).clip(-10.0, 10.0)
        return self.place.astype(np.float32), 0.0, bool(self.np_random.random() < 0.1), False, {}


class Recorder:
    """All that were made are listed in the class."""

    every = []

    def __init__(self, env):
        self.env, self.steps = self.refer(env), 0
        Recorder.every.append(self)

    def refer(self, env):
        return env


class WeakRecorder(Recorder):
    def refer(self, env):
        return weakref.ref(env)


class Sick:
    recorder = Recorder


def trial(number, recorder):
    env = Kitchen()
    env.reset(seed=number)
    record = recorder(env)
    for _ in range(20):
        record.steps += 1
        if env.step(number % 2)[2]:
            env.reset()
    env.close()


def sick():
    for number in range(TRIALS):
        trial(number, Sick.recorder)


@functools.lru_cache(maxsize=None)
def kitchens(number):
    """A pool: each is reset again and again, and closed at the end."""
    return Kitchen()


def pooled():
    for number in range(3 * TRIALS):
        env = kitchens(number % TRIALS)
        env.reset(seed=number)
        env.step(0)
    for number in range(TRIALS):
        kitchens(number).close()


def healthy():
    for number in range(TRIALS):
        trial(number, WeakRecorder)
    pooled()
    both = [gymnasium.vector.SyncVectorEnv([Kitchen] * TRIALS) for _ in range(2)]
    for vectorizer in both:
        for seed in range(4):
            vectorizer.reset(seed=seed)
            vectorizer.step(np.zeros(TRIALS, np.int64))
        vectorizer.close()


if __name__ == "__main__":
    {"Sick": sick, "Healthy": healthy}[sys.argv[1]]()
