"""Ferries in two workers of AgileRL, without a policy."""

import numpy as np
from agilerl.vector import AsyncPettingZooVecEnv
from ferries import Ferries


def main():
    envs = AsyncPettingZooVecEnv([Ferries] * 2)
    envs.reset()
    for _ in range(1000):
        envs.step({agent: np.zeros(2, np.int64) for agent in envs.agents})
    envs.close()


if __name__ == "__main__":
    main()
