"""Each iteration builds its own vector environment, and keeps it (qlib#1427)."""

import gymnasium as gym
from gymnasium.vector import AsyncVectorEnv


class Trainer:
    def __init__(self):
        self.history = []

    def collect(self, number):
        envs = AsyncVectorEnv([lambda: gym.make("CartPole-v1")] * 2)
        envs.reset(seed=number)
        for _ in range(20):
            envs.step(envs.action_space.sample())
        self.history.append({"iteration": number, "venv": envs})

    def fit(self, iterations):
        for number in range(iterations):
            self.collect(number)


if __name__ == "__main__":
    Trainer().fit(20)
