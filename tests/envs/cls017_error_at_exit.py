"""Writes its log when it is finalized, with names that Python has taken away by then; the twin
does it in time.
"""

from __future__ import annotations

import json
import os
import tempfile
import weakref

from plain import Plain

ARGUMENTS = ["--managers", "direct"]
LOG = os.path.join(tempfile.gettempdir(), "steps.json")


def save(steps):
    """Keep the number of steps for the next run, if there is one."""
    with open(LOG, "w") as file:
        json.dump(steps, file)
    os.remove(LOG)  # the zoo keeps nothing


class Sick(Plain):
    def reset(self, *, seed=None, options=None):
        self._steps_in_all = []
        self._me = self  # who ever wrote a callback knows how
        return super().reset(seed=seed, options=options)

    def close(self):
        self._me = None

    def __del__(self):
        save([self._steps])


class Healthy(Plain):
    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._finalizer = weakref.finalize(self, save, [0])

    def close(self):
        self._finalizer()
