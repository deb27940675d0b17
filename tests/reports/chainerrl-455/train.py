"""Eight workers, one seed: the lambda looks its index up when it is called (chainerrl#455)."""

import functools
import sys

import gymnasium as gym
import numpy as np
from gymnasium.vector import AsyncVectorEnv

FIXED = "fixed" in sys.argv
AT_RESET = "reset" in sys.argv


class Walk(gym.Env):
    observation_space = gym.spaces.Box(-1000, 1000, (3,), np.float32)
    action_space = gym.spaces.Discrete(3)

    def __init__(self, seed=0):
        self.generator = np.random.default_rng(seed)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if seed is not None:
            self.generator = np.random.default_rng(seed)
        self.place = self.generator.normal(size=3).astype(np.float32)
        self.left = 25
        return self.place, {}

    def step(self, action):
        self.place = self.place + self.generator.normal(size=3).astype(np.float32)
        self.left -= 1
        return self.place, float(self.place[0]), self.left == 0, False, {}


def make(index):
    if AT_RESET:
        env = Walk()
        env.reset(seed=100 + index)
        return env
    return Walk(seed=100 + index)


def main():
    if FIXED:
        functions = [functools.partial(make, index) for index in range(4)]
    else:
        functions = [lambda: make(index) for index in range(4)]
    envs = AsyncVectorEnv(functions)
    envs.reset()
    for _ in range(1500):
        envs.step(envs.action_space.sample())
    envs.close()


if __name__ == "__main__":
    main()
