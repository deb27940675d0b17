"""A renderer that is freed by __del__, after the display was terminated."""

import egl
import gymnasium
import numpy as np


class Viewer:
    def __init__(self):
        egl.context()
        self.is_open = True

    def render(self):
        return np.zeros((4, 4, 3), np.uint8)

    def free(self):
        if self.is_open:
            self.is_open = False
            egl.free()

    def __del__(self):
        self.free()


class Maze(gymnasium.Env):
    metadata = {"render_modes": ["rgb_array"], "render_fps": 30}
    observation_space = gymnasium.spaces.Box(-1.0, 1.0, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(4)
    viewer_class = Viewer

    def __init__(self, render_mode="rgb_array"):
        self.render_mode = render_mode
        self.viewer = None

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = 30
        return np.zeros(2, np.float32), {}

    def step(self, action):
        self.left -= 1
        return np.zeros(2, np.float32), 0.0, False, self.left == 0, {}

    def render(self):
        if self.viewer is None:
            self.viewer = self.viewer_class()
        return self.viewer.render()

    def close(self):
        if self.viewer is not None:
            self.viewer.free()
            self.viewer = None


class CarefulViewer(Viewer):
    def free(self):
        if self.is_open and egl.display is not None:
            super().free()


class Cured(Maze):
    viewer_class = CarefulViewer
