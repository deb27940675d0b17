"""The same, where a worker is seeded before its maze is made."""

import functools

import numpy as np
from maze import Maze
from parallel import ParallelEnvironment


def construct(seed):
    np.random.seed(seed)
    return Maze()


def create_environment(count, seed):
    seeds = [seed + number for number in range(count)]
    envs = ParallelEnvironment([functools.partial(construct, seed) for seed in seeds])
    envs.seed(seeds)
    return envs


def main():
    np.random.seed(0)
    envs = create_environment(8, seed=100)
    observations = envs.reset()
    returns = np.zeros(8)
    for _ in range(1500):
        actions = np.argmax(observations[:, :2] - observations[:, 2:], axis=1) * 2
        observations, rewards, _ = envs.step(actions)
        returns += rewards
    envs.close()
    print("return", returns.mean())


if __name__ == "__main__":
    main()
