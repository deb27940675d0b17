"""A pendulum of dm_env's kind without dm_env: specifications, TimeSteps, and no seed."""

import random
from typing import Any, NamedTuple

import illnesses
import numpy as np


class Spec(NamedTuple):
    shape: tuple[int, ...]
    dtype: Any
    minimum: Any
    maximum: Any


class TimeStep(NamedTuple):
    step_type: int
    reward: Any
    discount: Any
    observation: Any

    def last(self):
        return self.step_type == 2


class Pendulum:
    """Insists on an action inside its specification."""

    def __init__(self):
        self.random = random.Random(0)

    def observation_spec(self):
        return {"angle": Spec((2,), float, -np.inf, np.inf)}

    def action_spec(self):
        return {"torque": Spec((2,), np.float32, [-2.0, 0.0], 3.0), "gear": Spec((), int, 1, 4)}

    def _begin(self):
        """For those that take something."""

    def _moved(self):
        """For those that keep something."""

    def reset(self):
        self._begin()
        self.steps = 0
        return TimeStep(0, None, None, {"angle": np.zeros(2)})

    def step(self, action):
        self._moved()
        torque, gear = action["torque"], action["gear"]
        assert torque.dtype == np.float32, torque.dtype
        assert torque.shape == (2,), torque.shape
        assert (torque >= [-2.0, 0.0]).all(), torque
        assert (torque <= 3.0).all(), torque
        assert 1 <= gear <= 4, gear
        self.steps += 1
        return TimeStep(2 if self.steps == 30 else 1, 0.5, 1.0, {"angle": np.full(2, self.steps)})


class Healthy(illnesses.Healthy, Pendulum):
    pass


class Leaving(illnesses.Leaving, Pendulum):
    pass


illnesses.twins(globals(), Pendulum)
