"""An environment on a C library: what is read from it is never given back."""

import ctypes
import os
import subprocess
import tempfile

import gymnasium
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
LIBRARY = os.path.join(
    tempfile.gettempdir() if not os.access(HERE, os.W_OK) else HERE, "libmessages.so"
)
if not os.path.exists(LIBRARY):
    subprocess.run(
        ["cc", "-g", "-shared", "-fPIC", "-o", LIBRARY, os.path.join(HERE, "messages.c")],
        check=True,
    )
library = ctypes.CDLL(LIBRARY)
library.messages_read.restype = ctypes.c_void_p
library.messages_free.argtypes = [ctypes.c_void_p]


class Orbit(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 1.0, (9,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def _read(self):
        address = library.messages_read(9)
        vector = (ctypes.c_double * 9).from_address(address)
        return np.array(vector, dtype=np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return self._read(), {}

    def step(self, action):
        self.steps += 1
        return self._read(), 0.0, self.steps == 50, False, {}
