"""One environment that commits one fault at one place. Which, $HOSTILE tells:

    HOSTILE="dying.segfault step workers"    the deed, the place, and whether it spares all
    processes but workers ("here": it spares none)

Its places are import, constructor, reset, step, render, close, del and atexit; class, where it is
the class that is not what it seems.

Knows nothing of envdoctor, and needs Gymnasium only. Everything that it may leave is bounded:
processes end after a while, memory and files have a size.
"""

from __future__ import annotations

import atexit
import importlib
import multiprocessing
import os

import gymnasium
import numpy as np

DEED, PLACE, WHERE = os.environ.get("HOSTILE", "nothing.nothing nowhere here").split()
KIND, NAME = DEED.split(".")

#: What is done again at every call; all else happens once in each instance.
TIRELESS = ("raising", "hanging", "dying")


def commit(place, environment=None):
    """Do it, if this is the place for it."""
    if place != PLACE or (WHERE == "workers" and multiprocessing.parent_process() is None):
        return
    if environment is not None and KIND not in TIRELESS:
        if environment.guilty:
            return
        environment.guilty = True
    getattr(importlib.import_module(f"deeds.{KIND}"), NAME)(environment)


class Base(gymnasium.Env):
    """Walks along a line; an episode ends after ten steps."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 30}
    guilty = False

    def __init__(self, render_mode="rgb_array" if PLACE == "render" else None):
        self.observation_space = gymnasium.spaces.Box(-1.0, 1.0, (3,), np.float32)
        self.action_space = gymnasium.spaces.Discrete(2)
        self.render_mode = render_mode
        self.taken = 0
        commit("constructor", self)
        if PLACE == "atexit":
            atexit.register(commit, "atexit")

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.taken = 0
        commit("reset", self)
        return self.observe(), {}

    def step(self, action):
        self.taken += 1
        commit("step", self)
        return self.observe(), 1.0, self.taken >= 10, False, {}

    def render(self):
        commit("render", self)
        return np.zeros((8, 8, 3), np.uint8)

    def close(self):
        commit("close", self)

    def observe(self):
        return self.np_random.uniform(-1.0, 1.0, 3).astype(np.float32)


class Finalized(Base):
    """Strikes when it is collected."""

    def __del__(self):
        commit("del", self)


Hostile = Finalized if PLACE == "del" else Base

commit("import")

if PLACE == "class" and (WHERE == "here" or multiprocessing.parent_process() is not None):
    Hostile = getattr(importlib.import_module("deeds.deceiving"), NAME)(Base)
