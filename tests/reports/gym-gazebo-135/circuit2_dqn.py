"""A robot learns to drive a circuit by its lidar."""

import sys

import gymnasium
import numpy as np
from monitor import Monitor

FIXED = "fixed" in sys.argv


class Circuit2(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 10.0, (3,), np.float32)
    action_space = gymnasium.spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.offset = float(self.np_random.uniform(-0.5, 0.5))
        return self.scan(), {}

    def scan(self):
        return np.array([1.5 + self.offset, 3.0, 1.5 - self.offset], np.float32).clip(0, 10)

    def step(self, action):
        self.offset += 0.2 * (int(action) - 1) + float(self.np_random.normal(0.0, 0.1))
        crashed = abs(self.offset) > 1.3
        return self.scan(), -200.0 if crashed else 1.0, crashed, False, {}


if __name__ == "__main__":
    steps, limit = 10000, 1000
    env = Circuit2()
    if FIXED:
        env = gymnasium.wrappers.TimeLimit(env, limit)
    env = Monitor(env)
    generator = np.random.default_rng(0)
    exploration = 1.0
    observation, _ = env.reset(seed=0)
    for epoch in range(200):
        if epoch > 0:
            observation, _ = env.reset()
        for t in range(steps):
            steer = int(np.sign(observation[2] - observation[0])) + 1
            action = int(generator.integers(3)) if generator.random() < exploration else steer
            observation, reward, done, truncated, _ = env.step(action)
            if t >= limit:
                print("reached the end! :D")
                done = True
            if done or truncated:
                print(f"EP {epoch} - {t + 1} timesteps")
                break
        exploration = max(0.05, exploration * 0.97)
    env.close()
