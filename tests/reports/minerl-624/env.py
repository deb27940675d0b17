"""close() asks the viewer for an attribute that it has under another name."""

import gymnasium
import numpy as np
import pygame


class Viewer:
    def __init__(self):
        pygame.display.init()
        self.surface = pygame.display.set_mode((64, 64))

    def draw(self, frame):
        self.surface.fill((0, 0, frame % 256))
        pygame.event.pump()
        pygame.display.update()

    def shut(self):
        pygame.display.quit()


class Mine(gymnasium.Env):
    metadata = {"render_modes": ["human"], "render_fps": 20}
    observation_space = gymnasium.spaces.Box(0.0, 100.0, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(4)

    def __init__(self, render_mode=None):
        self.render_mode = render_mode
        self.viewer = None

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.frame = 0
        return np.array([0.0], np.float32), {}

    def step(self, action):
        self.frame += 1
        return np.array([self.frame], np.float32), 0.0, False, self.frame == 20, {}

    def render(self):
        if self.viewer is None:
            self.viewer = Viewer()
        self.viewer.draw(self.frame)

    def close(self):
        if self.viewer is not None:
            self.viewer.window.close()
            self.viewer = None


class Cured(Mine):
    def close(self):
        if self.viewer is not None:
            self.viewer.shut()
            self.viewer = None
