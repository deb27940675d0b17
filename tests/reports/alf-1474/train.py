"""Eight mazes in parallel, which are to differ: each is seeded by its number."""

import numpy as np
from maze import Maze
from parallel import ParallelEnvironment


def create_environment(count, seed):
    envs = ParallelEnvironment([Maze] * count)
    envs.seed([seed + number for number in range(count)])
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
