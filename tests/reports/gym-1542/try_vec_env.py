"""Three games at a time, with random actions."""

import sys

import gymnasium as gym
import numpy as np
from pong import PongEnv

FIXED = "fixed" in sys.argv


def main():
    venv = gym.vector.AsyncVectorEnv([PongEnv] * 3, context="spawn")
    venv.reset(seed=1)
    scores = np.zeros(venv.num_envs)
    for _ in range(1000):
        if FIXED:
            actions = venv.action_space.sample()
        else:
            actions = np.array([venv.action_space.sample() for _ in range(venv.num_envs)])
        _obs, rewards, _terminated, _truncated, _infos = venv.step(actions)
        scores += rewards
    print(f"scores {scores}")
    venv.close()


if __name__ == "__main__":
    main()
