"""Counters in rows: a vector environment of Gymnasium's that no vectorizer built."""

import random

import gymnasium
import illnesses
import numpy as np
from gymnasium.vector import AutoresetMode

ROWS = 3


class Counters(gymnasium.vector.VectorEnv):
    """Insists on an action for each row, and on a reset where one is over in the mode of its
    class.
    """

    mode = AutoresetMode.NEXT_STEP

    def __init__(self):
        self.num_envs = ROWS
        self.metadata = {"autoreset_mode": self.mode, "render_modes": []}
        self.single_observation_space = gymnasium.spaces.Box(0.0, 1.0, (2,))
        self.single_action_space = gymnasium.spaces.Discrete(3)
        batch = gymnasium.vector.utils.batch_space
        self.observation_space = batch(self.single_observation_space, ROWS)
        self.action_space = batch(self.single_action_space, ROWS)
        self.random = random.Random()
        self.counts = np.zeros(ROWS, dtype=int)
        self.over = np.zeros(ROWS, dtype=bool)

    def _begin(self):
        """For those that take something."""

    def _moved(self):
        """For those that keep something."""

    def reset(self, *, seed=None, options=None):
        if seed is not None:
            self.random.seed(seed)
        self._begin()
        self.counts[:], self.over[:] = 0, False
        return self._seen(), {}

    def step(self, actions):
        self._moved()
        assert self.action_space.contains(actions), actions
        if self.mode == AutoresetMode.DISABLED:
            assert not self.over.any(), "a row is over"
        self.counts = np.where(self.over, 0, self.counts + 1)
        self.over = self.counts == np.arange(5, 5 + ROWS)
        return self._seen(), np.ones(ROWS), self.over.copy(), np.zeros(ROWS, dtype=bool), {}

    def _seen(self):
        seen = [[self.random.random() for _ in range(2)] for _ in range(ROWS)]
        return np.array(seen, dtype=np.float32)


class OneSpace(Counters):
    """Declares the space of one row under the name of the space of all, as SuperSuit does."""

    def __init__(self):
        super().__init__()
        self.all_actions = self.action_space
        self.observation_space = self.single_observation_space
        self.action_space = self.single_action_space
        del self.single_observation_space, self.single_action_space

    def step(self, actions):
        declared, self.action_space = self.action_space, self.all_actions
        try:
            return super().step(actions)
        finally:
            self.action_space = declared


class Healthy(illnesses.Healthy, Counters):
    pass


class ByHand(Healthy):
    mode = AutoresetMode.DISABLED


class Leaving(illnesses.Leaving, Counters):
    pass


class Unseeded(illnesses.Unseeded, Counters):
    pass


illnesses.twins(globals(), Counters)
