"""It needs no window, so it decides that nobody does."""

from __future__ import annotations

import os

from plain import Plain

ARGUMENTS = ["--managers", "direct"]


class Sick(Plain):
    def __init__(self, render_mode=None):
        super().__init__()
        os.environ["SDL_VIDEODRIVER"] = "dummy"
        os.environ["CUDA_VISIBLE_DEVICES"] = ""


class Healthy(Plain):
    def __init__(self, render_mode=None):
        super().__init__()
        self._child_environment = {**os.environ, "SDL_VIDEODRIVER": "dummy"}
