"""A buffer of steps, and what collects them."""

import numpy as np


class ReplayBuffer:
    def __init__(self, size):
        self.maxsize = size
        self.columns = {}
        self.length = 0

    def add(self, **values):
        for name, value in values.items():
            if name not in self.columns:
                first = np.asarray(value)
                self.columns[name] = np.zeros((self.maxsize, *first.shape), first.dtype)
            self.columns[name][self.length % self.maxsize] = value
        self.length += 1

    def sample(self, batch_size):
        """So many steps drawn at random; all of them, in their order, for 0."""
        stored = min(self.length, self.maxsize)
        indices = np.random.choice(stored, batch_size) if batch_size else np.arange(stored)
        return {name: column[indices] for name, column in self.columns.items()}

    def reset(self):
        self.length = 0


class Collector:
    def __init__(self, policy, env, buffer):
        self.policy, self.env, self.buffer = policy, env, buffer
        self.obs, _ = env.reset(seed=1)

    def collect(self, n_step):
        for _ in range(n_step):
            action = self.policy.act(self.obs)
            following, reward, terminated, truncated, _ = self.env.step(action)
            self.buffer.add(obs=self.obs, act=action, rew=reward, done=terminated)
            self.obs = following
            if terminated or truncated:
                self.obs, _ = self.env.reset()
