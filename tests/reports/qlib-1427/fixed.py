"""The same, where an iteration closes what it built."""

import gymnasium as gym
import train
from gymnasium.vector import AsyncVectorEnv


class Trainer(train.Trainer):
    def collect(self, number):
        envs = AsyncVectorEnv([lambda: gym.make("CartPole-v1")] * 2)
        envs.reset(seed=number)
        for _ in range(20):
            envs.step(envs.action_space.sample())
        envs.close()


if __name__ == "__main__":
    Trainer().fit(20)
