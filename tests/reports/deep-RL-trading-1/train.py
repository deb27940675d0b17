"""The replay memory of the agent is a list without a bound."""

import sys

import gymnasium as gym
import numpy as np

FIXED = "fixed" in sys.argv


class Market(gym.Env):
    observation_space = gym.spaces.Box(-10, 10, (40, 1), np.float64)
    action_space = gym.spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.prices = np.cumsum(self.np_random.normal(size=(220, 1)), axis=0)
        self.day = 40
        return self._look(), {}

    def step(self, action):
        self.day += 1
        return self._look(), 0.0, self.day == 220, False, {}

    def _look(self):
        return self.prices[self.day - 40 : self.day].copy()


class Agent:
    def __init__(self):
        self.memory = []

    def remember(self, *moment):
        self.memory.append(moment)
        if FIXED:
            del self.memory[:-2000]

    def replay(self, generator):
        return [self.memory[number] for number in generator.integers(0, len(self.memory), 32)]


def main():
    env, agent, generator = Market(), Agent(), np.random.default_rng(0)
    for episode in range(1500):
        state, _ = env.reset(seed=1 if episode == 0 else None)
        over = False
        while not over:
            action = env.action_space.sample()
            following, reward, over, _, _ = env.step(action)
            agent.remember(state, action, reward, following, over)
            agent.replay(generator)
            state = following
    env.close()


if __name__ == "__main__":
    main()
