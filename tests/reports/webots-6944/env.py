"""The controller's library handles SIGINT in C, where the first robot is made."""

import ctypes
import functools
import signal

import gymnasium
import numpy as np

C = ctypes.CDLL(None)
C.signal.argtypes = [ctypes.c_int, ctypes.c_void_p]
C.signal.restype = ctypes.c_void_p


@functools.cache
def init():
    """Python's own handler, which raises KeyboardInterrupt, is not called any more."""
    C.signal(signal.SIGINT, ctypes.cast(C._exit, ctypes.c_void_p))


class Robot(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-10.0, 10.0, (2,), np.float32)
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (2,), np.float32)
    handles_signals = True

    def __init__(self):
        if self.handles_signals:
            init()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        self.place = self.np_random.uniform(-1.0, 1.0, 2).astype(np.float32)
        return self.place.copy(), {}

    def step(self, action):
        self.steps += 1
        self.place = np.clip(self.place + 0.1 * action, -10.0, 10.0).astype(np.float32)
        return self.place.copy(), 0.0, False, self.steps == 40, {}


class Cured(Robot):
    handles_signals = False
