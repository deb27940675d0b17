"""The trainer's own C code divides by zero; what is on the screen are the workers' EOFErrors
(STORM#2).
"""

import os
import signal
import sys

import gymnasium as gym
from gymnasium.vector import AsyncVectorEnv

FIXED = "fixed" in sys.argv


def update_weights(n):
    if n == 100 and not FIXED:
        os.kill(os.getpid(), signal.SIGFPE)


def main():
    envs = AsyncVectorEnv([lambda: gym.make("CartPole-v1")] * 2)
    envs.reset(seed=1)
    for n in range(200):
        envs.step(envs.action_space.sample())
        update_weights(n)
    envs.close()


if __name__ == "__main__":
    main()
