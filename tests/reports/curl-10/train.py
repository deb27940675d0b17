"""Healthy: a large replay buffer fills, and memory rises until it is full."""

import sys

import gymnasium as gym
import numpy as np

SMALL = "small" in sys.argv


class ReplayBuffer:
    def __init__(self, shape, capacity):
        self.observations = np.empty((capacity, *shape), np.uint8)
        self.rewards = np.empty((capacity, 1), np.float32)
        self.place = 0

    def add(self, observation, reward):
        row = self.place % len(self.rewards)
        np.copyto(self.observations[row], observation)
        self.rewards[row] = reward
        self.place += 1


class Cheetah(gym.Env):
    observation_space = gym.spaces.Box(0, 255, (9, 84, 84), np.uint8)
    action_space = gym.spaces.Box(-1, 1, (6,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = 50
        return self._look(), {}

    def step(self, action):
        self.left -= 1
        return self._look(), 1.0, False, self.left == 0, {}

    def _look(self):
        return np.full((9, 84, 84), self.left, np.uint8)


def main():
    env = Cheetah()
    buffer = ReplayBuffer((9, 84, 84), 500 if SMALL else 100_000)
    env.reset(seed=1)
    for _ in range(240_000 if SMALL else 16_000):
        observation, reward, _, cut, _ = env.step(env.action_space.sample())
        buffer.add(observation, reward)
        if cut:
            env.reset()
    env.close()


if __name__ == "__main__":
    main()
