"""Healthy: the trainer does something else for a while, and the workers wait for orders."""

import hashlib
import sys

import gymnasium as gym
from gymnasium.vector import AsyncVectorEnv

SHORT = "short" in sys.argv


def fine_tune():
    text = b"weights"
    for _ in range(20 if SHORT else 12_000_000):
        text = hashlib.sha256(text).digest()


def main():
    envs = AsyncVectorEnv([lambda: gym.make("CartPole-v1")] * 2)
    envs.reset(seed=0)
    for _ in range(2):
        for _ in range(400):
            envs.step(envs.action_space.sample())
        fine_tune()
    envs.close()


if __name__ == "__main__":
    main()
