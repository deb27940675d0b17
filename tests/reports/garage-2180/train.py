"""An experiment with a seed: set_seed() seeds the generators of the process."""

import random
import sys

import gymnasium as gym
import numpy as np

FIXED = "fixed" in sys.argv


class Point(gym.Env):
    observation_space = gym.spaces.Box(-2.0, 2.0, (2,), np.float32)
    action_space = gym.spaces.Discrete(4)
    moves = np.array([[1, 0], [-1, 0], [0, 1], [0, -1]], np.float32) / 10

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.at = self.np_random.uniform(-1, 1, 2).astype(np.float32)
        self.steps = 0
        return self.at.copy(), {}

    def step(self, action):
        self.at = np.clip(self.at + self.moves[action], -2, 2)
        self.steps += 1
        return self.at.copy(), -float(np.abs(self.at).sum()), False, self.steps == 25, {}


class EpsilonGreedy:
    def __init__(self, env):
        self.space, self.values = env.action_space, np.zeros(4)

    def action(self):
        if random.random() < 0.5:
            return int(self.space.sample())
        return int(self.values.argmax())


def set_seed(seed):
    random.seed(seed)
    np.random.seed(seed)


def main():
    set_seed(21)
    env = Point()
    policy = EpsilonGreedy(env)
    if FIXED:
        env.reset(seed=21)
        env.action_space.seed(21)
    for _ in range(60):
        env.reset()
        over = False
        while not over:
            action = policy.action()
            _, reward, _, over, _ = env.step(action)
            policy.values[action] += 0.01 * (reward - policy.values[action])
    env.close()
    print(policy.values.sum())


if __name__ == "__main__":
    main()
