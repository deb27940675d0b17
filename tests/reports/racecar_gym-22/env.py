"""reset() puts the car back and leaves it its velocity; close() never disconnects."""

import os

import gymnasium
import numpy as np


class Physics:
    """A physics server in this process: what connect() opens, disconnect() has to close."""

    def __init__(self):
        self.memory = os.memfd_create("physics")
        self.position = np.zeros(2)
        self.velocity = np.zeros(2)

    def place(self, position):
        self.position = np.array(position, float)

    def step(self, force):
        self.velocity = 0.95 * self.velocity + 0.1 * force
        self.position = self.position + 0.1 * self.velocity

    def disconnect(self):
        os.close(self.memory)


class Race(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-100.0, 100.0, (4,), np.float32)
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (2,), np.float32)

    def __init__(self):
        self.physics = None

    def _look(self):
        return np.concatenate([self.physics.position, self.physics.velocity]).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if self.physics is None:
            self.physics = Physics()
        self.physics.place(self.np_random.uniform(-1.0, 1.0, 2))
        self.left = 50
        return self._look(), {}

    def step(self, action):
        self.physics.step(np.asarray(action, float))
        self.left -= 1
        return self._look(), float(self.physics.velocity[0]), False, self.left == 0, {}


class Cured(Race):
    def reset(self, *, seed=None, options=None):
        if self.physics is not None:
            self.physics.velocity[:] = 0.0
        return super().reset(seed=seed)

    def close(self):
        if self.physics is not None:
            self.physics.disconnect()
            self.physics = None
