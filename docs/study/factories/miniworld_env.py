"""A room of MiniWorld on a machine without a display."""

import gymnasium
import pyglet

pyglet.options["headless"] = True

import miniworld  # noqa: E402, F401


def room():
    return gymnasium.make("MiniWorld-OneRoom-v0")
