"""The training raises while a SubprocVecEnv is open; its workers are daemons, and end with it."""

import sys

import gymnasium as gym
from stable_baselines3.common.vec_env import SubprocVecEnv

FIXED = "fixed" in sys.argv


def make():
    return gym.make("CartPole-v1")


def main():
    envs = SubprocVecEnv([make] * 2)
    envs.reset()
    for number in range(300):
        envs.step([0, 1])
        if number == 200 and not FIXED:
            raise ValueError("unknown policy: zoo")
    envs.close()


if __name__ == "__main__":
    main()
