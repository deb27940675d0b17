"""The interface of dm_env, where observations are views of the simulator's state."""

from typing import Any, NamedTuple

import numpy as np


class TimeStep(NamedTuple):
    step_type: int
    reward: Any
    discount: Any
    observation: Any

    def first(self):
        return self.step_type == 0

    def last(self):
        return self.step_type == 2


class Array:
    def __init__(self, shape, dtype, minimum=None, maximum=None):
        self.shape, self.dtype = shape, np.dtype(dtype)
        self.minimum, self.maximum = minimum, maximum


class Cartpole:
    copies = False

    def __init__(self):
        self.velocities = np.zeros(2)
        self.left = 0

    def action_spec(self):
        return Array((1,), np.float64, -1.0, 1.0)

    def observation_spec(self):
        return {"velocity": Array((2,), np.float64)}

    def _observation(self):
        return {"velocity": self.velocities.copy() if self.copies else self.velocities}

    def reset(self):
        self.velocities[:] = 0.0
        self.left = 40
        return TimeStep(0, None, None, self._observation())

    def step(self, action):
        if self.left == 0:
            return self.reset()
        self.velocities += 0.01 * float(np.asarray(action).ravel()[0]) + 0.001
        self.left -= 1
        return TimeStep(2 if self.left == 0 else 1, 0.0, 1.0, self._observation())

    def close(self):
        pass


class Cured(Cartpole):
    copies = True
