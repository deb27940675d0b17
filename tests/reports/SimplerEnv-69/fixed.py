"""A renderer whose finalizer does nothing when the engine was unloaded."""

import atexit

import gymnasium
import numpy as np


class Engine:
    is_loaded = True

    @staticmethod
    def unload():
        Engine.is_loaded = False


atexit.register(Engine.unload)


class Scene:
    def __init__(self):
        self.is_open = True

    def close(self):
        if self.is_open and Engine.is_loaded:
            self.is_open = False

    def __del__(self):
        self.close()


class Grasp(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 100.0, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(3)

    def __init__(self):
        self.scene = Scene()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return np.array([0.0], np.float32), {}

    def step(self, action):
        self.steps += 1
        return np.array([self.steps], np.float32), 0.0, False, self.steps == 25, {}

    def close(self):
        self.scene.close()
