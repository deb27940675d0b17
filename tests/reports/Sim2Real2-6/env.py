"""close() takes the scene from a viewer that still draws it: a null pointer."""

import ctypes

import gymnasium
import numpy as np


class Viewer:
    def __init__(self):
        self.scene = ctypes.create_string_buffer(b"scene")

    def set_scene(self, scene):
        self.scene = ctypes.cast(scene, ctypes.c_char_p)
        ctypes.string_at(self.scene)

    def close(self):
        self.scene = None


class Push(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 100.0, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(4)

    def __init__(self):
        self.viewer = None

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        if self.viewer is None:
            self.viewer = Viewer()
        return np.array([0.0], np.float32), {}

    def step(self, action):
        self.steps += 1
        return np.array([self.steps], np.float32), 0.0, False, self.steps == 20, {}

    def close(self):
        if self.viewer is not None:
            self.viewer.set_scene(None)
            self.viewer = None


class Cured(Push):
    def close(self):
        if self.viewer is not None:
            self.viewer.close()
            self.viewer = None
