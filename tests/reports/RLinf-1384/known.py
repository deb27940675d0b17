"""The same environment under Gymnasium's own vectorizer."""

from gymnasium.vector import AsyncVectorEnv
from train import Kitchen


def main():
    envs = AsyncVectorEnv([lambda n=n: Kitchen(n) for n in range(2)])
    envs.reset(seed=1)
    for _ in range(300):
        envs.step(envs.action_space.sample())
    envs.close()


if __name__ == "__main__":
    main()
