"""A script's own vectorizer cuts episodes at a length, and says that they have ended."""

from __future__ import annotations

import sys

import gymnasium
import numpy as np

COMMAND = "watch"
LONGEST = 25


class Drift(gymnasium.Env):
    """It never ends."""

    observation_space = gymnasium.spaces.Box(-100.0, 100.0, (1,))
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.at = np.float32(self.np_random.uniform(-1, 1))
        return np.array([self.at]), {}

    def step(self, action):
        self.at += np.float32(0.1 * action - 0.05)
        return np.array([self.at]), 1.0, False, False, {}


class Vectorizer:
    """Plays several in one process."""

    def __init__(self):
        self.envs = [Drift() for _ in range(3)]
        self.steps = np.zeros(3, int)
        for number, env in enumerate(self.envs):
            env.reset(seed=number)

    def stepped(self, actions):
        results = [env.step(action) for env, action in zip(self.envs, actions, strict=True)]
        observations, rewards, dones, _, _ = map(np.array, zip(*results, strict=True))
        self.steps += 1
        return observations, rewards, dones

    def begin(self, over):
        for number in np.flatnonzero(over):
            self.envs[number].reset()
            self.steps[number] = 0

    def close(self):
        for env in self.envs:
            env.close()


class Sick(Vectorizer):
    def step(self, actions):
        observations, rewards, dones = self.stepped(actions)
        completes = np.asarray(dones)
        completes[self.steps >= LONGEST] = True
        self.begin(completes)
        return observations, rewards, dones, completes


class Copying(Vectorizer):
    def step(self, actions):
        observations, rewards, dones = self.stepped(actions)
        completes = np.array(dones)
        completes[self.steps >= LONGEST] = True
        self.begin(completes)
        return observations, rewards, dones, completes


class Adapter(Vectorizer):
    """One value for both, on purpose."""

    def step(self, actions):
        observations, rewards, dones = self.stepped(actions)
        dones[self.steps >= LONGEST] = True
        self.begin(dones)
        return observations, rewards, dones, dones, {}


class Unwritten(Vectorizer):
    """Two names of one array, into which nothing writes."""

    def step(self, actions):
        observations, rewards, dones = self.stepped(actions)
        terminated = np.asarray(dones)
        return observations, rewards, dones, terminated


def play(kind):
    vectorizer = kind()
    for _ in range(100):
        vectorizer.step([0, 1, 1])
    vectorizer.close()


def healthy():
    for kind in (Copying, Adapter, Unwritten):
        play(kind)


if __name__ == "__main__":
    {"Sick": lambda: play(Sick), "Healthy": healthy}[sys.argv[1]]()
