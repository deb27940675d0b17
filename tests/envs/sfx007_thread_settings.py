"""Many workers share few cores, so every library gets one thread, in the learner's process, too."""

from __future__ import annotations

import os

from plain import Plain

ARGUMENTS = ["--managers", "direct"]


class Sick(Plain):
    def __init__(self, render_mode=None):
        super().__init__()
        os.environ["OMP_NUM_THREADS"] = "1"


class Healthy(Plain):
    threads = 1  # for the script to read
