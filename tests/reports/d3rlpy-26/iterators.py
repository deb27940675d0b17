"""Online training: an explorer plays, and the algorithm learns from what it has played."""

from collections import deque

import numpy as np


class DDPG:
    """Its actions are those of a tanh: -1 to 1, whatever the environment takes."""

    def __init__(self, observation_size, action_size):
        self.actor = np.zeros((action_size, observation_size))
        self.generator = np.random.default_rng(1)
        self.baseline = 0.0

    def predict(self, observation):
        return np.tanh(self.actor @ observation)

    def sample_action(self, observation):
        action = self.predict(observation) + self.generator.normal(0.0, 0.3, len(self.actor))
        return np.clip(action, -1.0, 1.0)

    def update(self, batch):
        for observation, action, reward, _ in batch:
            advantage = reward - self.baseline
            self.baseline += 0.01 * advantage
            error = advantage * (action - self.predict(observation))
            self.actor = np.clip(self.actor + 0.01 * np.outer(error, observation), -5.0, 5.0)


class MinMaxActionScaler:
    def __init__(self, space):
        self.low, self.high = space.low, space.high

    def reverse_transform(self, action):
        return self.low + (action + 1.0) * 0.5 * (self.high - self.low)


def fit_online(algo, env, n_steps, action_scaler=None):
    buffer, observation = deque(maxlen=2000), env.reset(seed=1)[0]
    for step in range(n_steps):
        action = algo.sample_action(observation)
        scaled = action if action_scaler is None else action_scaler.reverse_transform(action)
        following, reward, terminated, truncated, _ = env.step(scaled.astype(np.float32))
        buffer.append((observation, action, reward, following))
        observation = env.reset()[0] if terminated or truncated else following
        if step > 100:
            picked = algo.generator.integers(0, len(buffer), 4)
            algo.update([buffer[index] for index in picked])
