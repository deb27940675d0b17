"""close() closes the simulator and leaves its meshes in native memory until they are dropped."""

import ctypes

import gymnasium
import numpy as np

libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.malloc.argtypes = [ctypes.c_size_t]
libc.free.argtypes = [ctypes.c_void_p]


class Mesh:
    def __init__(self, size=100_000):
        self.address = libc.malloc(size)

    def free(self):
        if self.address:
            libc.free(self.address)
            self.address = None

    def __del__(self):
        self.free()

    def __reduce__(self):
        raise TypeError("cannot pickle 'Mesh' object")


class Navigation(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 100.0, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(3)

    def __init__(self):
        self.meshes = []

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if not self.meshes:
            self.meshes = [Mesh() for _ in range(50)]
        self.steps = 0
        return np.array([0.0], np.float32), {}

    def step(self, action):
        self.steps += 1
        return np.array([self.steps], np.float32), 0.0, False, self.steps == 20, {}


class Cured(Navigation):
    def close(self):
        for mesh in self.meshes:
            mesh.free()
        self.meshes = []
