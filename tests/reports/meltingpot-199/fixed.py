"""The same, where each process makes its own environment and keeps it."""

import gymnasium
from substrate import Substrate

BATCH = 4


def main():
    envs = gymnasium.vector.AsyncVectorEnv([Substrate] * BATCH)
    envs.action_space.seed(0)
    envs.reset(seed=0)
    for _ in range(300):
        envs.step(envs.action_space.sample())
    envs.close()


if __name__ == "__main__":
    main()
