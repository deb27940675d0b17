"""A renderer whose context only the first instance of the process gets (roboschool 1.0)."""

import ctypes

import gymnasium
import numpy as np


class Context:
    """The first owner renders; for every other one the pointer to the surface is null."""

    owner = None

    def __init__(self):
        if Context.owner is None:
            Context.owner = self

    def pixels(self):
        if Context.owner is not self:
            ctypes.string_at(0)
        return np.zeros((8, 8, 3), np.uint8)

    def close(self):
        if Context.owner is self:
            Context.owner = None


class OwnContext(Context):
    def pixels(self):
        return np.zeros((8, 8, 3), np.uint8)


class Reacher(gymnasium.Env):
    metadata = {"render_modes": ["rgb_array"], "render_fps": 30}
    observation_space = gymnasium.spaces.Box(-1.0, 1.0, (2,), np.float32)
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (2,), np.float32)
    context_class = Context

    def __init__(self, render_mode=None):
        self.render_mode = render_mode
        self.context = None

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if self.context is None:
            self.context = self.context_class()
        self.place = self.np_random.uniform(-1.0, 1.0, 2)
        self.left = 30
        return self.place.astype(np.float32), {}

    def step(self, action):
        self.place = np.clip(self.place + 0.05 * np.asarray(action, float), -1.0, 1.0)
        self.left -= 1
        return self.place.astype(np.float32), 0.0, False, self.left == 0, {}

    def render(self):
        return self.context.pixels()

    def close(self):
        if self.context is not None:
            self.context.close()
            self.context = None


class Cured(Reacher):
    context_class = OwnContext
