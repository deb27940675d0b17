"""A game loads its story and its screen in native code, which close() does not free."""

import ctypes

import gymnasium
import numpy as np

C = ctypes.CDLL(None)
C.malloc.restype = ctypes.c_void_p
C.malloc.argtypes = [ctypes.c_size_t]
C.free.argtypes = [ctypes.c_void_p]
STORY, SCREEN = 90_000, 60_000  # bytes, less than malloc gets from mmap()


def allocate(size):
    block = C.malloc(size)
    ctypes.memset(block, 1, size)
    return block


class Frotz(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 100.0, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(6)

    def __init__(self):
        self.blocks = []

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if not self.blocks:
            self.blocks = [allocate(STORY), *(allocate(SCREEN) for _ in range(3))]
        self.moves = 0
        return np.array([0.0], np.float32), {}

    def step(self, action):
        self.moves += 1
        return np.array([self.moves], np.float32), 0.0, False, self.moves == 15, {}

    def close(self):
        self.blocks = []


class Cured(Frotz):
    def close(self):
        for block in self.blocks:
            C.free(block)
        super().close()
