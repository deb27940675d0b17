"""Illnesses that grow: with each instance, each reset() or each step()."""

import ctypes
import itertools
import logging
import os
import subprocess
import tempfile
import threading
from multiprocessing import shared_memory

import compiled
import numpy as np

native = compiled.leaks()


class Episode:
    """A small object."""

    __slots__ = ("end", "length", "start")


class DescriptorPerReset:
    """Every reset() opens a log that is never closed."""

    def reset(self, *, seed=None, options=None):
        os.open(os.devnull, os.O_WRONLY)
        return super().reset(seed=seed, options=options)


class DescriptorPerStep:
    """Every tenth step() opens the device anew."""

    def step(self, action):
        if self._steps % 10 == 0:
            os.open(os.devnull, os.O_RDONLY)
        return super().step(action)


class DescriptorSometimes:
    """Every fifth instance is recorded, and its recording is never closed."""

    numbers = itertools.count(1)

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        if next(self.numbers) % 5 == 0:
            os.open(os.devnull, os.O_WRONLY)


class ThreadPerReset:
    """Every reset() starts a watcher, and none ends."""

    def reset(self, *, seed=None, options=None):
        threading.Thread(target=threading.Event().wait, name="watcher", daemon=True).start()
        return super().reset(seed=seed, options=options)


class ProcessPerReset:
    """Every reset() starts an encoder, and none ends."""

    def reset(self, *, seed=None, options=None):
        self._encoder = subprocess.Popen(["sleep", "600"], stdin=subprocess.DEVNULL)
        return super().reset(seed=seed, options=options)


class FilePerReset:
    """Every reset() writes a level that is never removed."""

    def reset(self, *, seed=None, options=None):
        descriptor, self._level_file = tempfile.mkstemp(suffix=".level")
        os.close(descriptor)
        return super().reset(seed=seed, options=options)


class MemoryPerReset:
    """Every reset() makes a frame buffer that is never unlinked."""

    def reset(self, *, seed=None, options=None):
        frames = shared_memory.SharedMemory(create=True, size=4096)
        frames.close()
        return super().reset(seed=seed, options=options)


class MallocPerInstance:
    """The constructor takes 500 bytes of native memory."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        native.keep_block(504)


class MallocPerReset:
    """Every reset() takes 1000 bytes of native memory."""

    def reset(self, *, seed=None, options=None):
        native.keep_block(1000)
        return super().reset(seed=seed, options=options)


LIBC = ctypes.CDLL(None)
LIBC.malloc.restype = ctypes.c_void_p
LIBC.malloc.argtypes = [ctypes.c_size_t]


class MallocPerStep:
    """Every step() takes 200 bytes of native memory."""

    def step(self, action):
        LIBC.malloc(200)
        return super().step(action)


class MappedPerInstance:
    """Maps a frame buffer for every instance and never unmaps it."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        native.keep_pages(256 * 1024)


class MappedPerReset:
    """Maps a frame buffer for every episode and never unmaps it."""

    def reset(self, *, seed=None, options=None):
        native.keep_pages(64 * 1024)
        return super().reset(seed=seed, options=options)


EPISODES = []


class ListPerReset:
    """A list of the module keeps every episode."""

    def reset(self, *, seed=None, options=None):
        EPISODES.append(Episode())
        return super().reset(seed=seed, options=options)


VISITED = []


class ListPerStep:
    """A list of the module keeps the place of every step."""

    def step(self, action):
        VISITED.append((float(self._steps), Episode()))
        return super().step(action)


ACTIONS = []


class NumbersPerStep:
    """A list of the module keeps all actions: small numbers, so no new object is made."""

    def step(self, action):
        ACTIONS.append(int(action))
        return super().step(action)


FRAMES = {}


class BytesPerReset:
    """A dict of the module keeps a frame of every episode."""

    numbers = itertools.count()

    def reset(self, *, seed=None, options=None):
        FRAMES[next(self.numbers)] = os.urandom(2000)
        return super().reset(seed=seed, options=options)


class TrailPerStep:
    """The instance keeps its trail, and reset() does not clear it."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._trail = []

    def step(self, action):
        self._trail.append([self._steps])
        return super().step(action)


class ScoresPerReset:
    """The instance keeps the score of every episode for as long as it lives."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._scores = []

    def reset(self, *, seed=None, options=None):
        self._scores.append({"steps": self._steps})
        return super().reset(seed=seed, options=options)


class LoggerPerInstance:
    """A logger for every instance: the logging module never forgets a name."""

    names = itertools.count()

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._log = logging.getLogger(f"walker.{next(self.names)}")


class Frame:
    """Knows its successor and its predecessor."""

    def __init__(self, before):
        self.pixels = np.zeros((210, 160, 3), np.uint8)
        self.before = before
        self.after = None


class FramesUntilCollected:
    """Every frame is part of a reference cycle, and waits for the garbage collector."""

    def reset(self, *, seed=None, options=None):
        self._picture = Frame(None)
        return super().reset(seed=seed, options=options)

    def step(self, action):
        self._picture.after = Frame(self._picture)
        self._picture = self._picture.after
        return super().step(action)


class MallocPerTrail:
    """An open instance takes native memory with every reset(), and close() gives all of it back."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._worlds = None

    def reset(self, *, seed=None, options=None):
        block = native.take_block(1024)
        ctypes.memmove(block, ctypes.byref(ctypes.c_void_p(self._worlds)), 8)
        self._worlds = block
        return super().reset(seed=seed, options=options)

    def close(self):
        while self._worlds:
            following = ctypes.c_void_p.from_address(self._worlds).value
            native.give_block(self._worlds)
            self._worlds = following
        super().close()
