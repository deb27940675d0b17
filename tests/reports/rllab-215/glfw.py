"""Windows as GLFW has them: what is drawn goes to the window whose context is current."""

import numpy as np

CURRENT = [None]


class Window:
    def __init__(self, width, height):
        self.back = np.zeros((height, width, 3), np.uint8)
        self.front = self.back.copy()


def create_window(width, height):
    return Window(width, height)


def make_context_current(window):
    CURRENT[0] = window


def clear():
    CURRENT[0].back[:] = 0


def rectangle(left, top, size, color):
    CURRENT[0].back[top : top + size, left : left + size] = color


def swap_buffers(window):
    window.front = window.back.copy()


def read_pixels(window):
    return window.front.copy()
