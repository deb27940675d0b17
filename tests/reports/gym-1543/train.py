"""Healthy: Ctrl-C ends a training with a vector environment, with many stacks on the screen."""

import sys

import gymnasium as gym
from gymnasium.vector import AsyncVectorEnv

CLOSES = "closes" in sys.argv


def main():
    envs = AsyncVectorEnv([lambda: gym.make("CartPole-v1")] * 3)
    envs.reset(seed=0)
    try:
        while True:
            envs.step(envs.action_space.sample())
    except KeyboardInterrupt:
        if not CLOSES:
            raise
        envs.close(terminate=True)


if __name__ == "__main__":
    main()
