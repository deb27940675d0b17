"""An emulator is spoken to by a file whose name is made once, when the module is imported."""

import contextlib
import mmap
import os
import struct
import tempfile

import gymnasium
import numpy as np

NAME = os.path.join(tempfile.gettempdir(), f"fceux-{os.getpid()}")
LAYOUT = struct.Struct("2i")  # how far Mario is, and the frames that were played


class SuperMarioBros(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0, 1000, (2,), np.int32)
    action_space = gymnasium.spaces.Discrete(3)

    def __init__(self):
        self.emulator = None

    def name(self):
        return NAME

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if self.emulator is None:
            self.path = self.name()
            with open(self.path, "a+b") as file:
                file.truncate(LAYOUT.size)
                self.emulator = mmap.mmap(file.fileno(), LAYOUT.size)
        LAYOUT.pack_into(self.emulator, 0, int(self.np_random.integers(5)), 0)
        return self.look(), {}

    def look(self):
        return np.array(LAYOUT.unpack_from(self.emulator), np.int32)

    def step(self, action):
        way, frames = LAYOUT.unpack_from(self.emulator)
        LAYOUT.pack_into(self.emulator, 0, way + int(action), frames + 1)
        state = self.look()
        return state, float(action), bool(state[0] >= 60), bool(state[1] >= 200), {}

    def close(self):
        if self.emulator is not None:
            self.emulator.close()
            self.emulator = None
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self.path)


class Cured(SuperMarioBros):
    def name(self):
        file, path = tempfile.mkstemp(prefix="fceux-")
        os.close(file)
        return path
