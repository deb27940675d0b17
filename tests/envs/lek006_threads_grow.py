"""Every fifth instance is watched by a thread that nobody tells to end."""

from __future__ import annotations

import itertools
import threading

from plain import Plain

ARGUMENTS = ["--managers", "direct"]
NUMBERS = itertools.count(1)


class Sick(Plain):
    _watcher = None

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        if next(NUMBERS) % 5 == 0:
            self._ended = threading.Event()
            self._watcher = threading.Thread(target=self._ended.wait, daemon=True)
            self._watcher.start()


class Healthy(Sick):
    def close(self):
        if self._watcher is not None:
            self._ended.set()
            self._watcher.join()
            self._watcher = None
        super().close()
