"""Environments with one illness of every sensor: no one of them hides another."""

from __future__ import annotations

import gc
import logging
import os
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import warnings
from multiprocessing import shared_memory
from pathlib import Path

import numpy as np
from plain import Plain

SIMULATOR = ["sleep", "600"]
TICK = 5.0  # seconds


def simulate(stop):
    while not stop.wait(TICK):
        pass


class LeavesAll(Plain):
    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._level = open(__file__)  # noqa: SIM115
        self._server = socket.create_server(("127.0.0.1", 0))
        self._frame = shared_memory.SharedMemory(create=True, size=4096)
        self._folder = Path(tempfile.mkdtemp(prefix="level-"))
        self._simulator = subprocess.Popen(SIMULATOR, stdin=subprocess.DEVNULL)
        self._stop = threading.Event()
        self._physics = threading.Thread(
            target=simulate, args=(self._stop,), name="physics", daemon=True
        )
        self._physics.start()


class LeavesNothing(LeavesAll):
    def close(self):
        if self._stop.is_set():
            return
        self._stop.set()
        self._physics.join()
        self._simulator.kill()
        self._simulator.wait()
        shutil.rmtree(self._folder)
        self._frame.close()
        self._frame.unlink()
        self._server.close()
        self._level.close()


class ChangesAll(Plain):
    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        signal.signal(signal.SIGINT, self._on_interrupt)
        os.environ["SDL_VIDEODRIVER"] = "dummy"
        os.environ["OMP_NUM_THREADS"] = "1"
        warnings.filterwarnings("ignore")
        logging.basicConfig(level=logging.DEBUG)

    def reset(self, *, seed=None, options=None):
        gc.disable()
        os.chdir(Path(__file__).parent)
        print(f"new episode, seed {seed}")
        if seed is not None:
            random.seed(seed)
        return super().reset(seed=seed, options=options)

    def step(self, action):
        self._wind = np.random.normal()  # noqa: NPY002
        return super().step(action)

    @staticmethod
    def _on_interrupt(number, frame):
        pass


class ChangesNothing(Plain):
    """Each of them for a moment only."""

    def reset(self, *, seed=None, options=None):
        earlier = signal.signal(signal.SIGALRM, signal.SIG_IGN)
        here = os.getcwd()
        state = random.getstate()
        gc.disable()
        try:
            os.chdir(Path(__file__).parent)
            random.seed(seed)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return super().reset(seed=seed, options=options)
        finally:
            gc.enable()
            random.setstate(state)
            os.chdir(here)
            signal.signal(signal.SIGALRM, earlier)
