"""Transitions of a training, in one array for each of their parts."""

import numpy as np


class SimpleReplayPool:
    def __init__(self, observation_space, action_space, max_size):
        shape, dtype = observation_space.shape, observation_space.dtype
        self._max_size, self._pointer, self._size = max_size, 0, 0
        self.observations = np.zeros((max_size, *shape), dtype)
        self.next_observations = np.zeros((max_size, *shape), dtype)
        self.actions = np.zeros((max_size, *action_space.shape), action_space.dtype)
        self.rewards = np.zeros((max_size, 1))
        self.terminals = np.zeros((max_size, 1), bool)

    def add_sample(self, observation, action, reward, terminal, next_observation):
        index = self._pointer
        self.observations[index] = observation
        self.next_observations[index] = next_observation
        self.actions[index] = action
        self.rewards[index], self.terminals[index] = reward, terminal
        self._pointer = (index + 1) % self._max_size
        self._size = min(self._size + 1, self._max_size)

    def random_batch(self, batch_size):
        indices = np.random.randint(0, self._size, batch_size)
        return self.observations[indices], self.rewards[indices], self.next_observations[indices]


class OncePool(SimpleReplayPool):
    """Keeps each observation once: the next one is that of the next transition."""

    def __init__(self, observation_space, action_space, max_size):
        super().__init__(observation_space, action_space, max_size)
        del self.next_observations
        self.last = None

    def add_sample(self, observation, action, reward, terminal, next_observation):
        index = self._pointer
        self.observations[index] = observation
        self.actions[index] = action
        self.rewards[index], self.terminals[index] = reward, terminal
        self._pointer = (index + 1) % self._max_size
        self._size = min(self._size + 1, self._max_size)
        self.last = next_observation

    def random_batch(self, batch_size):
        indices = np.random.randint(0, self._size - 1, batch_size)
        return self.observations[indices], self.rewards[indices], self.observations[indices + 1]
