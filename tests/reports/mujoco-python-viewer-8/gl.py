"""A drawing library as OpenGL is: the names of objects belong to the window that is current."""

import itertools

WINDOWS = []
CURRENT = [None]


class Window:
    def __init__(self):
        self.objects = {}


def create_window():
    WINDOWS.append(Window())
    return WINDOWS[-1]


def make_context_current(window):
    CURRENT[0] = window


def terminate():
    WINDOWS.clear()
    CURRENT[0] = None


def generate(value):
    """The smallest name that is free in the current window."""
    objects = CURRENT[0].objects
    name = next(name for name in itertools.count(1) if name not in objects)
    objects[name] = value
    return name


def delete(name):
    if CURRENT[0] is not None:
        CURRENT[0].objects.pop(name, None)


def look_up(name):
    return CURRENT[0].objects.get(name)
