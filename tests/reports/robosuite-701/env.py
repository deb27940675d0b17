"""reset() makes a new simulation, and frees the old one for one kind of renderer only."""

import ctypes

import gymnasium
import numpy as np

C = ctypes.CDLL(None)
C.malloc.restype = ctypes.c_void_p
C.malloc.argtypes = [ctypes.c_size_t]
C.free.argtypes = [ctypes.c_void_p]
CONTEXT = 100_000  # bytes, less than malloc gets from mmap()


class Simulation:
    def __init__(self):
        self.context = C.malloc(CONTEXT)
        ctypes.memset(self.context, 1, CONTEXT)

    def free(self):
        C.free(self.context)
        self.context = None


class Lift(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-1.0, 1.0, (7,), np.float32)
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (7,), np.float32)

    def __init__(self, renderer="mjviewer"):
        self.renderer = renderer
        self.simulation = None

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if self.renderer == "mujoco" and self.simulation is not None:
            self.simulation.free()
        self.simulation = Simulation()
        self.steps = 0
        self.arm = self.np_random.uniform(-0.5, 0.5, 7).astype(np.float32)
        return self.arm.copy(), {}

    def step(self, action):
        self.steps += 1
        self.arm = np.clip(self.arm + np.float32(0.01) * action, -1.0, 1.0)
        return self.arm.copy(), 0.0, False, self.steps == 30, {}

    def close(self):
        if self.simulation is not None:
            self.simulation.free()
            self.simulation = None


def make_cured():
    return Lift("mujoco")
