"""Windows: what draws keeps a piece of memory with the display server for each."""

import mmap
import os


class Window:
    def __init__(self, width, height):
        self.descriptor = os.memfd_create("window")
        os.ftruncate(self.descriptor, width * height * 3)
        self.pixels = mmap.mmap(self.descriptor, width * height * 3)


def create_window(width, height):
    return Window(width, height)


def destroy_window(window):
    window.pixels.close()
    os.close(window.descriptor)
