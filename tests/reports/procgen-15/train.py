"""The environment has a thread, is made in the trainer, and is stepped in a forked process."""

import multiprocessing as mp
from concurrent.futures import ThreadPoolExecutor

import gymnasium as gym
import numpy as np


class Coins(gym.Env):
    """Its engine steps in a thread."""

    observation_space = gym.spaces.Box(0, 1, (4,), np.float64)
    action_space = gym.spaces.Discrete(15)

    def __init__(self):
        self.engine = ThreadPoolExecutor(1)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = 100
        return self.engine.submit(self.np_random.random, 4).result(), {}

    def step(self, action):
        self.left -= 1
        return self.engine.submit(self.np_random.random, 4).result(), 0.0, self.left == 0, False, {}

    def close(self):
        self.engine.shutdown()


def play(env):
    for _ in range(500):
        if env.step(0)[2]:
            env.reset()
    env.close()


def main():
    env = Coins()
    env.reset(seed=0)
    process = mp.Process(target=play, args=(env,))
    process.start()
    process.join()


if __name__ == "__main__":
    main()
