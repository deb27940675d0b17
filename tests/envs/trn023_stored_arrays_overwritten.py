"""A script that stores observations of an environment which writes each into one array."""

from __future__ import annotations

import sys
from collections import deque

import gymnasium
import numpy as np

COMMAND = "watch"


class Drift(gymnasium.Env):
    """Returns a new array each time."""

    observation_space = gymnasium.spaces.Box(-100.0, 100.0, (3,))
    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self):
        self.state = np.zeros(3, np.float32)

    def observe(self):
        return self.state.copy()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps, self.state[:] = 0, self.np_random.uniform(-1, 1, 3)
        return self.observe(), {}

    def step(self, action):
        self.steps += 1
        self.state += np.float32(0.1 * action - 0.05)
        return self.observe(), 1.0, False, self.steps == 40, {}


class OneArray(Drift):
    def observe(self):
        return self.state


class Views(Drift):
    def observe(self):
        return {"position": self.state[:2], "speed": self.state[2:]}


class Constant(Drift):
    """One array, which is never written: a bandit has one state."""

    nothing = np.zeros(3, np.float32)

    def observe(self):
        return self.nothing


class Rollouts:
    """A vectorizer whose results are rows of the memory for a whole rollout."""

    def __init__(self, envs):
        self.envs, self.at = envs, 0
        self.memory = np.zeros((200, len(envs), 3), np.float32)

    def step(self, actions):
        row = self.memory[self.at]
        self.at += 1
        row[:] = [env.step(action)[0] for env, action in zip(self.envs, actions, strict=True)]
        return row, np.ones(len(self.envs)), np.zeros(len(self.envs), bool), {}


def episodes(env):
    """Each step of some episodes: the observation before it, and that after it."""
    for seed in range(6):
        observation, over = env.reset(seed=seed)[0], False
        while not over:
            following, _, _, over, _ = env.step(seed % 2)
            yield observation, following
            observation = following
    env.close()


def store(env):
    transitions = list(episodes(env))
    return len(transitions)


def store_copies(env):
    transitions = [(before.copy(), after.copy()) for before, after in episodes(env)]
    return len(transitions)


def stack_frames(env):
    frames = deque(maxlen=4)
    for _, after in episodes(env):
        frames.append(after)


def look(env):
    return sum(float(after.sum()) for _, after in episodes(env))


def collect():
    envs = [Drift() for _ in range(3)]
    for number, env in enumerate(envs):
        env.reset(seed=number)
    vectorizer = Rollouts(envs)
    stored = [vectorizer.step([0, 1, 1])[0] for _ in range(150)]
    for env in envs:
        env.close()
    return len(stored)


def sick():
    store(OneArray())
    store(Views())


def healthy():
    store(Drift())
    store(Constant())
    store_copies(OneArray())
    stack_frames(OneArray())
    look(OneArray())
    collect()


if __name__ == "__main__":
    {"Sick": sick, "Healthy": healthy}[sys.argv[1]]()
