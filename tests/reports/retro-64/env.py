"""One emulator a process; the constructor collects garbage first, for those that were never closed."""

import gc

import gymnasium
import numpy as np


class Emulator:
    loaded = 0

    def __init__(self):
        if Emulator.loaded:
            raise RuntimeError("Cannot create multiple emulator instances per process")
        Emulator.loaded += 1
        self.is_loaded = True

    def frame(self, number):
        return np.full((8, 8), number % 256, np.uint8)

    def __del__(self):
        if getattr(self, "is_loaded", False):
            Emulator.loaded -= 1


class Retro(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0, 255, (8, 8), np.uint8)
    action_space = gymnasium.spaces.MultiBinary(12)
    emulator_class = Emulator

    def __init__(self):
        gc.collect()
        self.emulator = self.emulator_class()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.frames = 0
        return self.emulator.frame(self.frames), {}

    def step(self, action):
        self.frames += 1
        return self.emulator.frame(self.frames), 0.0, self.frames == 60, False, {}

    def close(self):
        if hasattr(self, "emulator"):
            del self.emulator


class Independent(Emulator):
    def __init__(self):
        self.is_loaded = False


class Cured(Retro):
    emulator_class = Independent
