"""Environments that harm whoever runs them, one way each: tests/live/test_nothing_left.py shows that
nothing of it stays.

They only look like environments, so that no framework has to be imported before they strike.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import tempfile
import threading
from multiprocessing import resource_tracker, shared_memory

SLEEPER = [sys.executable, "-S", "-c", "import time; time.sleep(900)"]


class Calm:
    """What the others start from. It has no close() either."""

    def reset(self, seed=None):
        return 0, {}

    def step(self, action):
        return 0, 0.0, False, False, {}


class CloseHangs(Calm):
    def close(self):
        threading.Event().wait()


class StepHangs(Calm):
    """Says in the file $READY that it now does."""

    def step(self, action):
        with open(os.environ["READY"], "w"):
            threading.Event().wait()


class StubbornWorkersHang(StepHangs):
    """Its worker wants no SIGTERM, and has a child that left the family."""

    def step(self, action):
        if not os.fork():
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            os.setsid()
            super().step(action)
        return super().step(action)


class LeavesDaemon(Calm):
    def reset(self, seed=None):
        subprocess.Popen(SLEEPER, start_new_session=True)
        return super().reset(seed)


class LeavesNamelessDaemon(Calm):
    """Without a parent, a session or an environment of ours."""

    def reset(self, seed=None):
        if not (child := os.fork()):
            os.setsid()
            subprocess.Popen(SLEEPER, env={}, start_new_session=True)
            os._exit(0)
        os.waitpid(child, 0)
        return super().reset(seed)


class LeavesSharedMemory(Calm):
    """Unmaps it, and never unlinks it."""

    memory = None

    def reset(self, seed=None):
        self.memory = shared_memory.SharedMemory(create=True, size=4096)
        # Else Python would tidy up by itself.
        resource_tracker.unregister(self.memory._name, "shared_memory")
        return super().reset(seed)

    def close(self):
        if self.memory is not None:
            self.memory.close()


class ForgetsSharedMemory(LeavesSharedMemory):
    """Nobody who looks between two calls sees it."""

    def reset(self, seed=None):
        result = super().reset(seed)
        self.memory.close()
        return result


class LeavesSharedMemoryInCrash(LeavesSharedMemory):
    def step(self, action):
        os.kill(os.getpid(), signal.SIGKILL)


class LeavesFiles(Calm):
    def reset(self, seed=None):
        folder = tempfile.mkdtemp()
        with open(os.path.join(folder, "level"), "wb") as file:
            file.write(bytes(4096))
        os.chmod(folder, 0)
        return super().reset(seed)


class Segfaults(Calm):
    def step(self, action):
        ctypes.string_at(0)
        return super().step(action)


class Exits(Calm):
    def reset(self, seed=None):
        os._exit(3)


class ClosesEveryDescriptor(Calm):
    def reset(self, seed=None):
        os.closerange(0, 4096)
        return super().reset(seed)


class Chatters(Calm):
    """50 MB on each of stdout and stderr."""

    def close(self):
        for stream in (1, 2):
            for _ in range(50):
                os.write(
                    stream,
                    b"a line that nobody reads, again and again and again and again\n" * (1 << 14),
                )


class KillsItsParent(Calm):
    def reset(self, seed=None):
        os.kill(os.getppid(), signal.SIGKILL)
        return super().reset(seed)


class KillsItsParentWithDaemon(LeavesDaemon):
    def reset(self, seed=None):
        super().reset(seed)
        os.kill(os.getppid(), signal.SIGKILL)
        return 0, {}
