"""A pool of environments, stepped together."""

import gymnasium
import numpy as np


class GymPool(gymnasium.Env):
    """Each game has a generator of its own, which the pool's seed and its number decide."""

    observation_space = gymnasium.spaces.Box(-10.0, 10.0, (4,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self, num_envs, seed):
        self.num_envs = num_envs
        self.generators = [np.random.default_rng(seed + number) for number in range(num_envs)]
        self.states = np.zeros((num_envs, 4))
        self.steps = np.zeros(num_envs, int)

    def begin(self, numbers):
        for number in numbers:
            self.states[number] = self.generators[number].uniform(-0.05, 0.05, 4)
            self.steps[number] = 0

    def reset(self, *, seed=None, options=None):
        self.begin(range(self.num_envs))
        return self.states.astype(np.float32), {}

    def step(self, actions):
        self.begin(np.flatnonzero(self.steps >= 50))
        self.steps += 1
        self.states[:, 1] += 0.1 * (2 * actions - 1)
        self.states[:, 0] = np.clip(self.states[:, 0] + 0.1 * self.states[:, 1], -10.0, 10.0)
        rewards = (np.abs(self.states[:, 0]) < 1.0).astype(np.float32)
        cut = self.steps >= 50
        return self.states.astype(np.float32), rewards, np.zeros_like(cut), cut, {}


def make(task_id, env_type="gym", num_envs=1, seed=42):
    return GymPool(num_envs, seed)
