"""Instances that something keeps which no module shows: `atexit`, a signal's handler, the cache of
a method's results, a logger; and healthy ones that use the same.
"""

from __future__ import annotations

import atexit
import functools
import logging
import os
import signal
import tempfile
import weakref

import numpy as np
from plain import Plain


class AtExit(Plain):
    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self.table = np.zeros(500)
        atexit.register(self.close)

    def close(self):
        self.table = None
        super().close()


class TakesBack(AtExit):
    def close(self):
        atexit.unregister(self.close)
        super().close()


class AtExitByFunction(Plain):
    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        atexit.register(lambda: self.close())  # noqa: PLW0108  another holder


class AtExitByReference(Plain):
    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._end = weakref.finalize(self, print, end="")

    def close(self):
        self._end.detach()
        super().close()


class Handles(Plain):
    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        signal.signal(signal.SIGTERM, self.stop)

    def stop(self, number, frame):
        raise SystemExit


class AddsHandler(Plain):
    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        log = logging.getLogger("arm")
        handler = logging.FileHandler(os.path.join(tempfile.gettempdir(), "arm.log"), delay=False)
        log.addHandler(handler)


class RemovesHandler(Plain):
    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._shown = logging.StreamHandler()
        logging.getLogger("arm").addHandler(self._shown)

    def close(self):
        logging.getLogger("arm").removeHandler(self._shown)
        super().close()


class Caches(Plain):
    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self.scale = 2.0

    @functools.lru_cache(maxsize=None)  # noqa: B019  the fault
    def table(self, action):
        return np.full(500, action * self.scale)

    def step(self, action):
        self.table(int(action))
        return super().step(action)


class CachesWithoutSelf(Plain):
    @staticmethod
    @functools.lru_cache(maxsize=None)
    def table(action):
        return np.full(500, action)

    def step(self, action):
        self.table(int(action))
        return super().step(action)
