"""A robot that is drawn by a viewer."""

import gymnasium
import numpy as np
from viewer import CuredViewer, MujocoViewer


class Humanoid(gymnasium.Env):
    metadata = {"render_modes": ["rgb_array"], "render_fps": 50}
    observation_space = gymnasium.spaces.Box(-100.0, 100.0, (2,), np.float32)
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (1,), np.float32)
    model = [(200, 40, 40), (40, 200, 40), (40, 40, 200)]
    Viewer = MujocoViewer

    def __init__(self, render_mode="rgb_array"):
        self.render_mode = render_mode
        self.data = {"angle": 0.0, "speed": 0.0}
        self.viewer = self.Viewer(self.model, self.data)

    def observe(self):
        return np.array([self.data["angle"], self.data["speed"]], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.data["angle"], self.data["speed"] = self.np_random.uniform(-0.1, 0.1, 2)
        self.steps = 0
        return self.observe(), {}

    def step(self, action):
        self.steps += 1
        self.data["speed"] += 0.05 * float(action[0]) - 0.01 * np.sin(self.data["angle"])
        self.data["angle"] += self.data["speed"]
        return self.observe(), float(np.cos(self.data["angle"])), False, self.steps == 100, {}

    def render(self):
        return self.viewer.read_pixels()

    def close(self):
        self.viewer.close()


class Cured(Humanoid):
    Viewer = CuredViewer
