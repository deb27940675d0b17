"""A trainer around an environment whose levels come one after the other, each costly to build."""

import sys

import gymnasium as gym
import numpy as np

FIXED = "fixed" in sys.argv


class Levels(gym.Env):
    observation_space = gym.spaces.Box(0.0, 1000.0, (2,), np.float32)
    action_space = gym.spaces.Discrete(2)

    def __init__(self):
        self.level = -1

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.level += 1  # one level for each episode
        self.at = 0
        return np.array([self.level, self.at], np.float32), {}

    def step(self, action):
        self.at += int(action)
        return np.array([self.level, self.at], np.float32), 1.0, self.at == 20, False, {}


class GymEnvironment:
    """The trainer's own interface."""

    def __init__(self, env):
        self.env = env
        if not FIXED:
            self.reset_internal_state()
            self.step(0)
        self.size = env.observation_space.shape[0]

    def reset_internal_state(self):
        self.state, _ = self.env.reset(seed=None)
        self.is_over = False

    def step(self, action):
        self.state, reward, self.is_over, _, _ = self.env.step(action)
        return reward


class GraphManager:
    def __init__(self):
        self.environments = [GymEnvironment(Levels()) for _ in range(2)]

    def improve(self, episodes):
        for environment in self.environments:
            for _ in range(episodes):
                environment.reset_internal_state()
                while not environment.is_over:
                    environment.step(1)


if __name__ == "__main__":
    manager = GraphManager()
    manager.improve(30)
    for environment in manager.environments:
        environment.env.close()
