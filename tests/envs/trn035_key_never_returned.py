"""A training that reads the final infos of a vectorizer, which resets in the step after an end."""

from __future__ import annotations

import sys

import gymnasium
import numpy as np
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv

COMMAND = "watch"
INTERPRETER = "ENVDOCTOR_SB3_PYTHON"


class Corridor(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-100.0, 100.0, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = float(self.np_random.uniform(-50, 50))
        self.steps = 0
        return np.array([self.place], np.float32), {}

    def step(self, action):
        self.place = float(np.clip(self.place + action - 0.5, -100, 100))
        self.steps += 1
        return np.array([self.place], np.float32), -abs(self.place), self.steps == 20, False, {}


def train(vectorizer):
    ends = []
    vectorizer.reset(seed=3)
    for step in range(200):
        actions = np.full(2, step % 2)
        _, _, terminated, _, infos = vectorizer.step(actions)
        if terminated.any() and "final_info" in infos:
            ends.append(infos["final_info"])
    vectorizer.close()
    print(f"{len(ends)} episodes")


def sick():
    train(SyncVectorEnv([Corridor] * 2))


def in_workers():
    train(AsyncVectorEnv([Corridor] * 2))


def healthy():
    train(SyncVectorEnv([Corridor] * 2, autoreset_mode=AutoresetMode.SAME_STEP))


if __name__ == "__main__":
    {"Sick": sick, "InWorkers": in_workers, "Healthy": healthy}[sys.argv[1]]()
