"""The set that detectors of leaks are compared by: eleven environments that leak once a cycle, or
less, or more often, and six that only look like it. A cycle is make, reset, twenty steps, close,
drop.
"""

from __future__ import annotations

import functools
import itertools
import os
import random
import threading
from collections import deque

import compiled
import numpy as np
from plain import Plain

native = compiled.leaks()
KEPT = []  # what nobody takes out again
LAST, RECENT, ROOMS = [], deque(maxlen=100), {}  # what has an end
CHANCE = random.Random(0)


class Leak(Plain):
    """Leaks in close(): a subclass says what."""

    def close(self):
        self.leak()
        super().close()

    def leak(self):
        raise NotImplementedError


class Episode:
    """A small Python object: 64 bytes."""

    __slots__ = ("a", "b", "c", "d")


class PyObject(Leak):
    def leak(self):
        KEPT.append(Episode())


class Bytes(Leak):
    """Objects that the garbage collector does not track."""

    def leak(self):
        KEPT.append(os.urandom(64))


class Array(Leak):
    def leak(self):
        KEPT.append(np.ones(12_800))


class Malloc1K(Leak):
    def leak(self):
        native.keep_block(1024)


class Malloc24(Leak):
    def leak(self):
        native.keep_block(24)


class Mmap64K(Leak):
    def leak(self):
        native.keep_pages(65_536)


class Descriptor(Leak):
    def leak(self):
        os.open(os.devnull, os.O_RDONLY)


class Thread(Leak):
    def leak(self):
        threading.Thread(target=threading.Event().wait, daemon=True).start()


class Sparse(Leak):
    """An object every so many cycles."""

    cycles = itertools.count(1)

    def __init__(self, render_mode=None, every=10):
        super().__init__(render_mode)
        self._every = every

    def leak(self):
        if next(self.cycles) % self._every == 0:
            KEPT.append(Episode())


class InStep(Plain):
    def step(self, action):
        KEPT.append(Episode())
        return super().step(action)


class Retained(Plain):
    """A registry keeps every instance."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        KEPT.append(self.on_event)

    def on_event(self, event):
        self._steps += event


class Malloc(Leak):
    """A block of a size to choose: how small a leak is still seen?"""

    def __init__(self, render_mode=None, size=24):
        super().__init__(render_mode)
        self._size = size

    def leak(self):
        native.keep_block(self._size)


class Clean(Plain):
    """Nothing is kept."""


class Plateau(Leak):
    """Keeps the last sixty episodes: grows by one a cycle, then no more."""

    def leak(self):
        LAST.append(bytearray(1024))
        del LAST[:-60]


class SlowPlateau(Leak):
    """Remembers sixty rooms by number, met at random: grows slower and slower."""

    def leak(self):
        ROOMS.setdefault(CHANCE.randrange(60), bytearray(1024))


class Lru(Leak):
    """A bounded cache that takes 128 cycles to fill."""

    cycles = itertools.count()

    def leak(self):
        look_up(next(self.cycles))


@functools.lru_cache(maxsize=128)
def look_up(number):
    return bytearray(256 + number % 2)


class Cycle(Plain):
    """A reference cycle with a finaliser: only the garbage collector frees it."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._me = self

    def __del__(self):
        self.close()


class Bounded(Leak):
    """The last hundred episodes, in a deque that takes care of it."""

    def leak(self):
        RECENT.append(Episode())


LEAKS = (
    "PyObject",
    "Bytes",
    "Array",
    "Malloc1K",
    "Malloc24",
    "Mmap64K",
    "Descriptor",
    "Thread",
    "Sparse",
    "InStep",
    "Retained",
)
HEALTHY = ("Clean", "Plateau", "SlowPlateau", "Lru", "Cycle", "Bounded")
