"""A cart with a pendulum, which a viewer draws."""

import glfw
import gymnasium
import numpy as np
from mjviewer import CuredViewer, MjViewer


class Cartpole(gymnasium.Env):
    metadata = {"render_modes": ["rgb_array"], "render_fps": 50}
    observation_space = gymnasium.spaces.Box(-10.0, 10.0, (2,), np.float32)
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (1,), np.float32)
    Viewer = MjViewer

    def __init__(self, render_mode="rgb_array"):
        self.render_mode = render_mode
        self.viewer = None

    def get_viewer(self):
        if self.viewer is None:
            self.viewer = self.Viewer()
            self.viewer.start()
        return self.viewer

    def observe(self):
        return np.array([self.position, self.angle], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.position, self.angle = self.np_random.uniform(-0.8, 0.8, 2)
        self.steps = 0
        return self.observe(), {}

    def step(self, action):
        self.position = float(np.clip(self.position + 0.1 * action[0], -1.5, 1.5))
        self.angle = float(np.clip(0.95 * self.angle - 0.1 * action[0], -1.5, 1.5))
        self.steps += 1
        return self.observe(), 1.0 - abs(self.angle), False, self.steps == 60, {}

    def render(self):
        viewer = self.get_viewer()
        viewer.set_data([self.position, self.angle])
        viewer.loop_once()
        return glfw.read_pixels(viewer.window)

    def close(self):
        if self.viewer is not None:
            self.viewer.finish()
            self.viewer = None


class Cured(Cartpole):
    Viewer = CuredViewer
