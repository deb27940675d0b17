"""A training whose policy is cut at -1 and 1, and an action space that reaches beyond."""

from __future__ import annotations

import sys

import gymnasium
import numpy as np

COMMAND = "watch"


class Pendulum(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-100.0, 100.0, (2,), np.float32)
    action_space = gymnasium.spaces.Box(-2.0, 2.0, (1,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.angle, self.speed = self.np_random.uniform(-1.0, 1.0, 2)
        self.steps = 0
        return np.array([self.angle, self.speed], np.float32), {}

    def step(self, action):
        self.speed = float(np.clip(self.speed + 0.1 * action[0] - 0.1 * self.angle, -5.0, 5.0))
        self.angle += 0.1 * self.speed
        self.steps += 1
        observation = np.array([self.angle, self.speed], np.float32)
        return observation, -abs(self.angle), False, self.steps == 50, {}


def train(scale, noise):
    env, generator = Pendulum(), np.random.default_rng(3)
    observation, _ = env.reset(seed=3)
    for _ in range(2000):
        action = generator.normal(0.0, noise, 1) - 0.2 * observation[:1]
        scaled = scale * np.clip(action, -1.0, 1.0)
        observation, _, _, truncated, _ = env.step(scaled.astype(np.float32))
        if truncated:
            observation, _ = env.reset()
    print(f"angle {env.angle:.2f}")
    env.close()


def sick():
    train(scale=1.0, noise=1.0)


def healthy():
    train(scale=2.0, noise=1.0)
    train(scale=1.0, noise=0.1)  # a careful policy


if __name__ == "__main__":
    {"Sick": sick, "Healthy": healthy}[sys.argv[1]]()
