"""close() frees the context of the renderer and keeps the viewer: it draws black from then on."""

import gymnasium
import numpy as np


class OffScreenViewer:
    def __init__(self, width, height):
        self.shape = (height, width, 3)
        self.context = np.arange(height * width, dtype=np.uint8).reshape(height, width, 1)

    def render(self, height):
        image = np.zeros(self.shape, np.uint8)
        if self.context is not None:  # nothing is read back without one, and no error is raised
            image[:] = self.context + np.uint8(1 + int(abs(height) * 50))
        return image

    def free(self):
        self.context = None


class Renderer:
    def __init__(self):
        self.viewers = {}

    def viewer(self, mode):
        if mode not in self.viewers:
            self.viewers[mode] = OffScreenViewer(32, 24)
        return self.viewers[mode]

    def close(self):
        for viewer in self.viewers.values():
            viewer.free()


class Humanoid(gymnasium.Env):
    metadata = {"render_modes": ["rgb_array"], "render_fps": 30}
    observation_space = gymnasium.spaces.Box(-4.0, 4.0, (1,), np.float32)
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (1,), np.float32)
    renderer_class = Renderer

    def __init__(self, render_mode=None):
        self.render_mode = render_mode
        self.renderer = self.renderer_class()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.height = float(self.np_random.uniform(1.0, 2.0))
        return np.array([self.height], np.float32), {}

    def step(self, action):
        self.height += 0.05 * float(action[0]) - 0.02
        return np.array([self.height], np.float32), 1.0, self.height < 0.5, False, {}

    def render(self):
        if self.render_mode == "rgb_array":
            return self.renderer.viewer(self.render_mode).render(self.height)
        return None

    def close(self):
        self.renderer.close()
        super().close()


class CuredRenderer(Renderer):
    def close(self):
        super().close()
        self.viewers.clear()


class Cured(Humanoid):
    renderer_class = CuredRenderer
