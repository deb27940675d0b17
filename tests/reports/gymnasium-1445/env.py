"""The physics is calculated for batches: the reward is an array with one number, and not a number."""

import gymnasium
import numpy as np

GOAL = np.array([0.0, 0.0, 1.0], np.float32)


class Quadrotor(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-20.0, 20.0, (6,), np.float32)
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (3,), np.float32)

    def observe(self):
        return np.concatenate([self.position[0], self.velocity[0]])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.position = self.np_random.uniform(-1.0, 1.0, (1, 3)).astype(np.float32)
        self.velocity = np.zeros((1, 3), np.float32)
        self.steps = 0
        self.battery = int(self.np_random.integers(20, 40))
        return self.observe(), {}

    def reward(self):
        return -np.linalg.norm(self.position - GOAL, axis=1)

    def step(self, action):
        self.steps += 1
        self.velocity = np.clip(self.velocity + np.float32(0.1) * action, -2.0, 2.0)
        self.position = np.clip(self.position + np.float32(0.1) * self.velocity, -20.0, 20.0)
        lost = bool(np.abs(self.position).max() > 4.0)
        return self.observe(), self.reward(), lost, self.steps >= self.battery, {}


class Cured(Quadrotor):
    def reward(self):
        return float(super().reward()[0])
