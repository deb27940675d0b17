"""Each evaluation makes a vector environment of its own, and closes it."""

import gymnasium as gym
from stable_baselines3.common.vec_env import SubprocVecEnv


def make():
    return gym.make("CartPole-v1")


def evaluate(seed):
    envs = SubprocVecEnv([make] * 2, start_method="fork")
    envs.seed(seed)
    envs.reset()
    for _ in range(50):
        envs.step([0, 1])
    envs.close()


def main():
    envs = SubprocVecEnv([make] * 2, start_method="fork")
    envs.reset()
    for update in range(300):
        envs.step([1, 0])
        if update % 12 == 0:
            evaluate(update)
    envs.close()


if __name__ == "__main__":
    main()
