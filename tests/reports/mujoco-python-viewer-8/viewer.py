"""A viewer of a model, with a window and the resources that are drawn in it."""

import gl
import numpy as np


class MjrContext:
    """Textures of a model, uploaded into the current window."""

    def __init__(self, model):
        self.names = [gl.generate(color) for color in model]

    def free(self):
        for name in self.names:
            gl.delete(name)
        self.names = []

    def __del__(self):
        self.free()


class MujocoViewer:
    frees_first = False

    def __init__(self, model, data):
        self.data = data
        self.window = gl.create_window()
        gl.make_context_current(self.window)
        self.ctx = MjrContext(model)

    def read_pixels(self):
        gl.make_context_current(self.window)
        pixels = np.zeros((32, 32, 3), np.uint8)
        for number, name in enumerate(self.ctx.names):
            color = gl.look_up(name)
            if color is not None:
                place = int(16 + 10 * np.sin(self.data["angle"] + number))
                pixels[place - 4 : place + 4, 8 * number : 8 * number + 6] = color
        return pixels

    def close(self):
        if self.frees_first:
            self.ctx.free()
        gl.terminate()


class CuredViewer(MujocoViewer):
    frees_first = True
