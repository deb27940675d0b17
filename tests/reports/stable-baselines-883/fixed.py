"""Functions that make the environments are handed to the vectorizer."""

import socket

import gymnasium as gym
import numpy as np
from stable_baselines3.common.vec_env import SubprocVecEnv


class Unity(gym.Env):
    """Talks to a simulator through a socket."""

    observation_space = gym.spaces.Box(-1, 1, (2,), np.float32)
    action_space = gym.spaces.Discrete(2)

    def __init__(self):
        self.client, self.simulator = socket.socketpair()

    def __call__(self):
        return self

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = 10
        return np.zeros(2, np.float32), {}

    def step(self, action):
        self.left -= 1
        return np.zeros(2, np.float32), 0.0, self.left == 0, False, {}

    def close(self):
        self.client.close()
        self.simulator.close()


def main():
    envs = SubprocVecEnv([Unity, Unity])
    envs.reset()
    for _ in range(100):
        envs.step([0, 1])
    envs.close()


if __name__ == "__main__":
    main()
