"""A trainer runs each episode for all of its cycles, whatever the environment says."""

import sys

import gymnasium as gym
import numpy as np

FIXED = "fixed" in sys.argv


class Cart(gym.Env):
    observation_space = gym.spaces.Box(-10.0, 10.0, (2,), np.float32)
    action_space = gym.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.angle, self.speed = self.np_random.uniform(-0.1, 0.1, 2)
        return self.look(), {}

    def step(self, action):
        self.speed += 0.05 * (1 if action else -1)
        self.angle += 0.1 * self.speed
        done = abs(self.angle) > 0.2
        return self.look(), 0.0 if done else 1.0, done, False, {}

    def look(self):
        return np.array([self.angle, self.speed], np.float32).clip(-10, 10)


class Training:
    def __init__(self, env, cycle_limit):
        self.env, self.cycle_limit = env, cycle_limit
        self.random, self.memory = np.random.default_rng(1), np.zeros((1000, 3))
        self.cycles = 0

    def run_cycle(self):
        action = int(self.random.integers(2))
        state, reward, done, _, _ = self.env.step(action)
        self.memory[self.cycles % 1000] = [*state, reward]
        self.cycles += 1
        return done

    def run_episode(self, number):
        self.env.reset(seed=None if number else 2)
        for _ in range(self.cycle_limit):
            done = self.run_cycle()
            if FIXED and done:
                break

    def run(self, episodes):
        for number in range(episodes):
            self.run_episode(number)


if __name__ == "__main__":
    env = Cart()
    Training(env, cycle_limit=200).run(40)
    env.close()
