"""Environments that hang, one way each, and twins that are only slow. benchmarks/hangs.py measures
how long it takes until the report on each; tests/live/test_time_to_verdict.py looks at what is said.
"""

from __future__ import annotations

import ctypes
import os
import re
import socket
import subprocess
import sys
import threading
import time

from plain import Plain

SECONDS = float(os.environ.get("SLOW_SECONDS", "5"))  # that a slow reset takes
FOREVER = 1e6  # seconds
BLOCK = 64 << 20  # bytes


class CloseSleeps(Plain):
    """Waits for a recorder that is gone."""

    def close(self):
        time.sleep(FOREVER)


class CloseBlocksInC(Plain):
    """A driver that waits for a device, and holds the interpreter's lock meanwhile."""

    def close(self):
        ctypes.PyDLL(None).pause()


class CloseBurnsInC(Plain):
    """A search in C that takes years, and holds the interpreter's lock meanwhile."""

    def close(self):
        re.match(r"(a+)+$", "a" * 64 + "b")


class ResetSleeps(Plain):
    """Waits for a first frame that is never sent."""

    def reset(self, *, seed=None, options=None):
        threading.Event().wait()
        return super().reset(seed=seed, options=options)


class ResetBurns(Plain):
    """Looks for a free place on a map that has none."""

    def reset(self, *, seed=None, options=None):
        while True:
            self.tried = getattr(self, "tried", 0) + 1


class StepSleeps(Plain):
    """Waits for an answer of its simulator."""

    def step(self, action):
        threading.Event().wait()
        return super().step(action)


class StepBurns(Plain):
    """Integrates until a tolerance is met that cannot be met."""

    def step(self, action):
        while True:
            self.tried = getattr(self, "tried", 0) + 1


class EatsMemory(Plain):
    """Keeps every frame of every reset, for ever."""

    def reset(self, *, seed=None, options=None):
        kept = []
        while True:
            kept.append(b"x" * BLOCK)


class SlowWork(Plain):
    """Builds a map."""

    def reset(self, *, seed=None, options=None):
        until = time.process_time() + SECONDS
        while time.process_time() < until:
            pass
        return super().reset(seed=seed, options=options)


class SlowSleep(Plain):
    """Waits for a robot to come home."""

    def reset(self, *, seed=None, options=None):
        time.sleep(SECONDS)
        return super().reset(seed=seed, options=options)


class SlowChild(Plain):
    """Waits for a simulator to come up."""

    def reset(self, *, seed=None, options=None):
        subprocess.run(
            [sys.executable, "-I", "-S", "-c", f"import time; time.sleep({SECONDS})"], check=True
        )
        return super().reset(seed=seed, options=options)


class SlowSocket(Plain):
    """Waits for the answer of another machine."""

    def reset(self, *, seed=None, options=None):
        here, there = socket.socketpair()
        with here, there:
            timer = threading.Timer(SECONDS, there.send, (b".",))
            timer.start()
            here.recv(1)
            timer.join()
        return super().reset(seed=seed, options=options)
