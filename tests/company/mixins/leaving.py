"""Illnesses of close(): what it leaves, and how it fails."""

import contextlib
import os
import signal
import socket
import subprocess
import tempfile
import threading
import time
import weakref
from multiprocessing import shared_memory

import numpy as np


class DescriptorLeft:
    """The device stays open."""

    _device = None

    def reset(self, *, seed=None, options=None):
        if self._device is None:
            self._device = os.open("/dev/zero", os.O_RDONLY)
        return super().reset(seed=seed, options=options)


class ThreadLeft:
    """The physics go on in a thread that is never told to stop."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._ended = threading.Event()
        self._physics = threading.Thread(target=self._ended.wait, name="physics", daemon=True)
        self._physics.start()


class ProcessLeft:
    """The simulator is a process of its own, and outlives the environment."""

    _simulator = None

    def reset(self, *, seed=None, options=None):
        if self._simulator is None:
            self._simulator = subprocess.Popen(["sleep", "600"], stdin=subprocess.DEVNULL)
        return super().reset(seed=seed, options=options)


class PortLeft:
    """The telemetry server goes on listening."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._server = socket.create_server(("127.0.0.1", 0))
        TELEMETRY.append(self._server.detach())


TELEMETRY = []


class FileLeft:
    """The level is written into a temporary directory that is never removed."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._directory = tempfile.mkdtemp(prefix="level-")


class MemoryLeft:
    """The frame buffer is unmapped, but never unlinked."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._frame = shared_memory.SharedMemory(create=True, size=4096)

    def close(self):
        self._frame.close()
        super().close()


CLOCK = []


class InstanceKept:
    """Every instance signs up for a clock and never leaves it."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        CLOCK.append(self)


class FreedByCollector:
    """A callback that is the environment's own method makes a cycle with two megabytes in it."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._frames = np.ones((8, 512, 512), np.uint8)
        self._callbacks = [self._remember]

    def _remember(self, action):
        self._frames[action] = action


class CloseRaises:
    """close() saves a recording through an attribute that was renamed."""

    _recorded = None

    def reset(self, *, seed=None, options=None):
        self._recorded = []
        return super().reset(seed=seed, options=options)

    def close(self):
        super().close()
        if self._recorded is not None:
            self._saved = len(self._recorded["actions"])


class CloseAlwaysRaises:
    """close() always fails, also before the first reset()."""

    def close(self):
        super().close()
        raise RuntimeError("the licence server does not answer")


class CloseBeforeResetRaises:
    """close() needs what only reset() makes."""

    def reset(self, *, seed=None, options=None):
        self._journal = []
        return super().reset(seed=seed, options=options)

    def close(self):
        super().close()
        self._journal.clear()


class SecondCloseRaises:
    """close() disconnects from a simulator that refuses to be disconnected twice."""

    _connected = True

    def close(self):
        super().close()
        if not self._connected:
            raise RuntimeError("not connected to a simulator")
        self._connected = False


class CloseErrorHidden:
    """close() fails in workers only, where the error is lost."""

    def close(self):
        super().close()
        if self._steps:
            self._saved = self._recorded_actions


class CloseSlow:
    """close() waits two seconds for the simulator to go."""

    def close(self):
        if self._steps:
            time.sleep(2.2)
        super().close()


class CloseHangs:
    """close() waits for a thread that was never started."""

    def close(self):
        if self._steps >= 9:
            threading.Event().wait(300.0)
        super().close()


class NotReopenable:
    """close() gives up the map, and reset() counts on it."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._map = [0]

    def reset(self, *, seed=None, options=None):
        self._map[0] += 1
        return super().reset(seed=seed, options=options)

    def close(self):
        self._map = None
        super().close()


def save_score(steps):
    """Keep the number of steps, which needs the interpreter to be whole."""
    with open(os.devnull, "w") as file:
        file.write(str(steps))


class ErrorAtExit:
    """Writes its score when it is finalized, with names that Python has taken away by then."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._me = self

    def close(self):
        self._me = None
        super().close()

    def __del__(self):
        save_score(self._steps)


class SignalHandler:
    """Handles Ctrl-C itself, and the training goes on."""

    interrupted = False

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        signal.signal(signal.SIGINT, self._on_interrupt)

    @classmethod
    def _on_interrupt(cls, number, frame):
        cls.interrupted = True


class ConstructorConnects:
    """The constructor opens the socket to the simulator, which only reset() needs."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._unlink = weakref.finalize(self, self._link.close)

    def close(self):
        with contextlib.suppress(OSError):
            self._link.close()
        super().close()
