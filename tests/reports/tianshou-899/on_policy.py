"""An on-policy training: eight episodes are collected for each update."""

import sys

import gymnasium
import numpy as np
from collector import Collector, DummyVectorEnv

Collector.resets_after_collect = "fixed" not in sys.argv


class MyEnv(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-10.0, 10.0, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = float(self.np_random.uniform(-1.0, 1.0))
        self.random_episode_length = int(self.np_random.integers(10, 20))
        self.current_step = 0
        return self.look(), {}

    def look(self):
        return np.array([self.place, self.current_step / 10.0], np.float32)

    def step(self, action):
        self.place = float(np.clip(self.place + (0.1 if action else -0.1), -9.0, 9.0))
        self.current_step += 1
        over = self.current_step >= self.random_episode_length
        return self.look(), -abs(self.place), False, over, {}


class PGPolicy:
    def __init__(self):
        self.weights, self.generator = np.zeros(2), np.random.default_rng(1)

    def __call__(self, obs):
        chances = 1.0 / (1.0 + np.exp(-obs @ self.weights))
        return (self.generator.random(len(obs)) < chances).astype(int)

    def learn(self, buffer):
        for obs, act, rew, _ in buffer:
            chance = 1.0 / (1.0 + np.exp(-obs @ self.weights))
            self.weights += 0.001 * rew * (act - chance) * obs


def main():
    train_envs = DummyVectorEnv([MyEnv for _ in range(8)])
    policy = PGPolicy()
    collector = Collector(policy, train_envs)
    for epoch in range(60):
        buffer = collector.collect(n_episode=8)
        policy.learn(buffer)
        if epoch % 20 == 19:
            print(f"epoch {epoch + 1}: weights {policy.weights.round(3)}")
    train_envs.close()


if __name__ == "__main__":
    main()
