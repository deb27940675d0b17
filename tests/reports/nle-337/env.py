"""A game in C whose globals are cleared by loading its library anew for each game."""

import _ctypes
import ctypes
import os
import subprocess
import tempfile

import gymnasium
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
LIBRARY = os.path.join(HERE if os.access(HERE, os.W_OK) else tempfile.gettempdir(), "libgame.so")
if not os.path.exists(LIBRARY):
    source = os.path.join(HERE, "game.c")
    subprocess.run(["cc", "-g", "-shared", "-fPIC", "-o", LIBRARY, source], check=True)


class NetHack(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0, 300, (1,), np.int64)
    action_space = gymnasium.spaces.Discrete(2)
    frees = False

    def __init__(self):
        self.library = None

    def _unload(self):
        if self.library is not None:
            if self.frees:
                self.library.end()
            _ctypes.dlclose(self.library._handle)
            self.library = None

    def _glyphs(self):
        return np.array([self.library.glyph(self.turn)])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._unload()
        self.library = ctypes.CDLL(LIBRARY)
        self.library.start()
        self.turn = 0
        return self._glyphs(), {}

    def step(self, action):
        self.turn += 1
        return self._glyphs(), 0.0, self.turn == 40, False, {}

    def close(self):
        self._unload()


class Cured(NetHack):
    frees = True
