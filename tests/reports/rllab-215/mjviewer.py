"""A viewer of a model: a window, and what is drawn in it."""

import glfw


class MjViewer:
    makes_current = False

    def __init__(self, width=48, height=32):
        self.width, self.height = width, height
        self.window = None

    def start(self):
        self.window = glfw.create_window(self.width, self.height)
        glfw.make_context_current(self.window)

    def set_data(self, positions):
        self.positions = positions

    def render(self):
        if self.makes_current:
            glfw.make_context_current(self.window)
        glfw.clear()
        for number, position in enumerate(self.positions):
            left = int(self.width / 2 + 10 * position)
            glfw.rectangle(left, 4 + 12 * number, 6, (250, 250 - 120 * number, 60))

    def loop_once(self):
        self.render()
        glfw.swap_buffers(self.window)

    def finish(self):
        self.window = None


class CuredViewer(MjViewer):
    makes_current = True
