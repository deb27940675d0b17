"""A native simulator with global state: the second instance in a process finds it in use."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from pathlib import Path

from plain import Plain

ARGUMENTS = ["--managers", "direct,gymnasium-async", "--start-methods", "fork"]

SOURCE = Path(__file__).parent / "native" / "one_instance.c"
LIBRARY = SOURCE.parent / "_build" / f"one_instance-{sys.platform}.so"


def build():
    """Compile the library where it is missing or old. Several processes may do so at once: the
    last rename wins.
    """
    if not LIBRARY.exists() or LIBRARY.stat().st_mtime < SOURCE.stat().st_mtime:
        LIBRARY.parent.mkdir(exist_ok=True)
        draft = LIBRARY.with_suffix(f".{os.getpid()}")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", str(draft), str(SOURCE)], check=True)
        os.replace(str(draft), str(LIBRARY))
    return ctypes.CDLL(str(LIBRARY))


simulator = build()
simulator.simulator_create.restype = ctypes.c_void_p
simulator.simulator_move_one.argtypes = [ctypes.c_void_p, ctypes.c_int]
simulator.simulator_destroy.argtypes = [ctypes.c_void_p]


class Sick(Plain):
    _open = False

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._start()

    def reset(self, *, seed=None, options=None):
        self._start()
        return super().reset(seed=seed, options=options)

    def step(self, action):
        simulator.simulator_move(int(action))
        return super().step(action)

    def close(self):
        if self._open:
            simulator.simulator_close()
            self._open = False
        super().close()

    def __del__(self):
        self.close()

    def _start(self):
        if not self._open:
            if simulator.simulator_open() != 0:
                raise RuntimeError("the simulator is in use by another instance of this process")
            self._open = True


class Healthy(Plain):
    _handle = None

    def reset(self, *, seed=None, options=None):
        if self._handle is None:
            self._handle = simulator.simulator_create()
        return super().reset(seed=seed, options=options)

    def step(self, action):
        simulator.simulator_move_one(self._handle, int(action))
        return super().step(action)

    def close(self):
        if self._handle is not None:
            simulator.simulator_destroy(self._handle)
            self._handle = None
        super().close()

    def __del__(self):
        self.close()
