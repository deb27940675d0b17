"""A walker of Evolution Gym with a fixed body."""

import evogym.envs  # noqa: F401
import gymnasium
import numpy as np

BODY = np.array([[3, 3, 3, 3, 3], [3, 3, 3, 3, 3], [3, 3, 0, 3, 3], [3, 3, 0, 3, 3], [4, 4, 0, 4, 4]])


def make():
    return gymnasium.make("Walker-v0", body=BODY)
