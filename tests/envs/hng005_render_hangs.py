"""render() waits for a display; the twin draws into memory."""

from __future__ import annotations

import threading

import numpy as np
from plain import Plain

ARGUMENTS = ["--managers", "direct", "--timeout", "2", "-k", 'render_mode="rgb_array"']
LONG = 60.0  # seconds


class Healthy(Plain):
    """Draws a black picture."""

    metadata = {
        "render_modes": ["rgb_array"],
        "render_fps": 30,
    }

    def render(self):
        return np.zeros((8, 8, 3), np.uint8)


class Sick(Healthy):
    """Waits until the window is there."""

    def render(self):
        threading.Event().wait(LONG)
        return super().render()
