"""The trainer is killed for its memory; what is on the screen are the workers' EOFErrors."""

import os
import signal
import sys

import gymnasium as gym
from gymnasium.vector import AsyncVectorEnv

FIXED = "fixed" in sys.argv


def add_to_buffer(step):
    if step == 900 and not FIXED:
        os.kill(os.getpid(), signal.SIGKILL)  # as the kernel does where memory is exhausted


def main():
    envs = AsyncVectorEnv([lambda: gym.make("CartPole-v1")] * 4)
    envs.reset(seed=5)
    for step in range(1200):
        envs.step(envs.action_space.sample())
        add_to_buffer(step)
    envs.close()


if __name__ == "__main__":
    main()
