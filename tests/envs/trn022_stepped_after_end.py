"""A script that plays each episode for one length, whatever step() says of its end."""

from __future__ import annotations

import sys

import gymnasium
import numpy as np

COMMAND = "watch"


class Fall(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 100.0, (1,))
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.height = np.float32(self.np_random.uniform(5, 9))
        return np.array([self.height]), {}

    def step(self, action):
        self.height = max(np.float32(0), self.height - 1)
        return np.array([self.height]), 1.0, bool(self.height == 0), False, {}


class Begun(Fall):
    """One that needs no reset() at first."""

    def __init__(self):
        self.height = np.float32(7)

    def begin(self):
        self.height = np.float32(6)


class Restarting(Fall):
    """One that begins anew by itself."""

    def step(self, action):
        result = super().step(action)
        if result[2]:
            self.height = np.float32(7)
        return result


class Bandit(Fall):
    """One whose episodes have one step, and that resets itself."""

    def step(self, action):
        self.reset()
        return np.array([self.height]), 1.0, True, False, {}


class Endless(gymnasium.Wrapper):
    """It says nothing of ends: its episodes are cut elsewhere."""

    def step(self, action):
        observation, reward, _, _, info = self.env.step(action)
        return observation, reward, False, False, info


def play(env, steps=40):
    for number in range(20):
        env.reset(seed=number)
        for _ in range(steps):
            env.step(0)
    env.close()


def play_to_the_end(env, more=0):
    for _ in range(20):
        env.reset()
        over, left = False, more
        while not over or left:
            left -= over
            _, _, over, _, _ = env.step(0)
    env.close()


def search(env):
    """Set its state back, and look what another action does."""
    env.reset()
    for _ in range(20):
        over, kept = False, env.height
        while not over:
            _, _, over, _, _ = env.step(1)
        env.height = kept
    env.close()


def evaluate(envs):
    """Play several until all have ended, and leave out what has."""
    for _ in range(20):
        for env in envs:
            env.reset()
        over = [False] * len(envs)
        while not all(over):
            over = [env.step(0)[2] or before for env, before in zip(envs, over, strict=True)]
    for env in envs:
        env.close()


def begin_otherwise(env):
    """A method of another name begins each episode."""
    for _ in range(20):
        while not env.step(0)[2]:
            pass
        env.begin()
    env.close()


def assess(env):
    env.reset()
    while not env.step(0)[2]:
        pass


def train(env, other=None, anew=False):
    """Play 60 evaluations between its steps: in another environment, or in its own."""
    env.reset()
    for _ in range(60):
        if env.step(0)[2]:
            env.reset()
        assess(other or env)
        if anew:
            env.reset()
    env.close()


def sick():
    play(Fall())


def unreset():
    """A constructor has put it to its start, and nothing resets it after that."""
    env = Begun()
    for _ in range(200):
        env.step(0)
    env.close()


def healthy():
    play(Restarting())
    play(Bandit())
    play(Endless(Fall()))
    play(gymnasium.wrappers.Autoreset(Fall()))
    play_to_the_end(Fall())
    play_to_the_end(Fall(), more=1)
    search(Fall())
    evaluate([Fall() for _ in range(3)])
    begin_otherwise(Begun())
    train(Fall(), Fall())
    train(Fall(), anew=True)
    train(Restarting())


if __name__ == "__main__":
    visited = {"Visited": lambda: train(Fall())}
    {"Sick": sick, "Unreset": unreset, "Healthy": healthy, **visited}[sys.argv[1]]()
