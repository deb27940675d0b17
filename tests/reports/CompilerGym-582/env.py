"""A working directory of each instance, under a cache of the user, that stays after close()."""

import os
import shutil
import tempfile
import uuid

import gymnasium
import numpy as np

CACHE = os.environ.get("COMPILER_CACHE") or os.path.join(tempfile.gettempdir(), "compiler-cache")


class Compiler(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 100.0, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(4)

    def __init__(self):
        self.directory = None

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.passes = 0
        if self.directory is None:
            self.directory = os.path.join(CACHE, uuid.uuid4().hex)
            os.makedirs(self.directory)
        with open(os.path.join(self.directory, "module.bc"), "wb") as file:
            file.write(b"\0" * 4096)
        return np.array([0.0], np.float32), {}

    def step(self, action):
        self.passes += 1
        return np.array([self.passes], np.float32), 0.0, False, self.passes == 20, {}


class Cured(Compiler):
    def close(self):
        if self.directory is not None:
            shutil.rmtree(self.directory)
            self.directory = None
