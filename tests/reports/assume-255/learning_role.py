"""Collects what all units of a market have seen, done and earned, and learns from it."""

import numpy as np


class ReplayBuffer:
    def __init__(self, buffer_size, n_rl_units, obs_dim, act_dim):
        self.buffer_size, self.pos, self.full = buffer_size, 0, False
        self.observations = np.zeros((buffer_size, n_rl_units, obs_dim), np.float32)
        self.actions = np.zeros((buffer_size, n_rl_units, act_dim), np.float32)
        self.rewards = np.zeros((buffer_size, n_rl_units), np.float32)

    def add(self, obs, actions, reward):
        self.observations[self.pos] = obs.copy()
        self.actions[self.pos] = actions.copy()
        self.rewards[self.pos] = reward.copy()
        self.pos += 1
        if self.pos == self.buffer_size:
            self.full, self.pos = True, 0

    def sample(self, generator, batch_size):
        upper_bound = self.buffer_size if self.full else self.pos
        indices = generator.integers(0, upper_bound - 1, batch_size)
        return self.observations[indices], self.actions[indices], self.rewards[indices]


class Learning:
    stores_all_units = False

    def __init__(self, n_rl_units, obs_dim, act_dim):
        self.buffer = ReplayBuffer(2000, n_rl_units, obs_dim, act_dim)
        self.generator = np.random.default_rng(1)
        self.weights = np.zeros((n_rl_units, obs_dim))

    def get_actions(self, obs):
        noise = self.generator.normal(0.0, 0.1, len(obs))
        return np.clip((self.weights * obs).sum(axis=1) + noise, -1.0, 1.0)[:, None]

    def save_buffer(self, content):
        data = content["data"]
        self.buffer.add(
            obs=data[0] if self.stores_all_units else data[0][0],
            actions=data[1],
            reward=data[2],
        )

    def update_policy(self):
        obs, actions, rewards = self.buffer.sample(self.generator, 16)
        better = rewards - rewards.mean(axis=0)
        self.weights += 0.1 * (better[..., None] * actions * obs).mean(axis=0)
