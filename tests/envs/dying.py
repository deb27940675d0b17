"""Environments of which one in two workers ends in its third step, each in another way."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import sys
import threading

from plain import Plain

FATAL = 3  # the step


class Mortal(Plain):
    """Fails in every second worker; never in a parent, where its manager may build one as well."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        process = multiprocessing.current_process()
        self.is_doomed = (
            multiprocessing.parent_process() is not None and process._identity[-1] % 2 == 0
        )
        self._taken = 0

    def step(self, action):
        self._taken += 1
        if self.is_doomed and self._taken == FATAL:
            self.fail()
        return super().step(action)

    def fail(self):
        """A healthy one does nothing."""


class Segfault(Mortal):
    """Reads through a null pointer."""

    def fail(self):
        ctypes.string_at(0)


class Exit(Mortal):
    """Leaves without a licence."""

    def fail(self):
        print("the licence server does not answer", file=sys.stderr, flush=True)
        os._exit(3)


class Killed(Mortal):
    """As the kernel's killer does when memory runs out."""

    def fail(self):
        os.kill(os.getpid(), signal.SIGKILL)


class Memory(Mortal):
    """Asks for more memory than it may have."""

    def fail(self):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
        self.frames = bytearray(1 << 34)


class Raises(Mortal):
    """Runs out of maps."""

    def fail(self):
        raise IndexError("no map for this worker")


class CloseHangs(Mortal):
    """Waits for a recorder that is gone."""

    def close(self):
        if self.is_doomed:
            threading.Event().wait()
