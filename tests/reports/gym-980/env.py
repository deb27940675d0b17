"""A physics engine in C: destroying a body leaves the shape of its fixture behind."""

import ctypes
import os
import subprocess
import tempfile

import gymnasium
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
LIBRARY = os.path.join(HERE if os.access(HERE, os.W_OK) else tempfile.gettempdir(), "libworld.so")
if not os.path.exists(LIBRARY):
    source = os.path.join(HERE, "world.c")
    subprocess.run(["cc", "-g", "-shared", "-fPIC", "-o", LIBRARY, source], check=True)
library = ctypes.CDLL(LIBRARY)
library.create_body.restype = ctypes.c_void_p
library.angle.argtypes = [ctypes.c_void_p]
library.angle.restype = ctypes.c_double
library.destroy_body.argtypes = [ctypes.c_void_p, ctypes.c_int]


class Walker(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-10.0, 10.0, (5,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)
    with_shape = 0

    def __init__(self):
        self.bodies = []

    def _destroy(self):
        for body in self.bodies:
            library.destroy_body(body, self.with_shape)
        self.bodies = []

    def _look(self):
        return np.array([library.angle(body) for body in self.bodies], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._destroy()
        self.bodies = [library.create_body() for _ in range(5)]
        self.steps = 0
        return self._look(), {}

    def step(self, action):
        self.steps += 1
        return self._look(), 0.0, self.steps == 50, False, {}

    def close(self):
        self._destroy()


class Cured(Walker):
    with_shape = 1
