"""Viewers of a simulation."""

import glfw
import numpy as np


class MjSim:
    def __init__(self):
        self.qpos = np.zeros(3)

    def step(self, ctrl):
        self.qpos = (self.qpos + 0.05 * ctrl).clip(-1.0, 1.0)


class MjRenderContextOffscreen:
    """Draws the simulation into a window that is not shown."""

    def __init__(self, sim):
        self.sim = sim
        self.window = glfw.create_window(32, 32)

    def render(self):
        image = np.zeros((32, 32, 3), np.uint8)
        x, y, _ = ((self.sim.qpos + 1.0) * 15).astype(int)
        image[x, y] = 255
        self.window.pixels[:] = image.tobytes()

    def read_pixels(self):
        return np.frombuffer(self.window.pixels[:], np.uint8).reshape(32, 32, 3)
