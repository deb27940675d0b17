"""An arm whose physics run in a process of their own, started with multiprocessing; the twin
starts a program instead.
"""

from __future__ import annotations

import multiprocessing
import subprocess
import sys

from plain import Plain

ARGUMENTS = ["--managers", "gymnasium-async", "--start-methods", "fork"]


def simulate(wire):
    """Answer each number with the next one; None ends it."""
    for number in iter(wire.recv, None):
        wire.send(number + 1)


class Sick(Plain):
    _simulator = None

    def reset(self, *, seed=None, options=None):
        if self._simulator is None:
            self._wire, theirs = multiprocessing.Pipe()
            simulator = multiprocessing.Process(target=simulate, args=(theirs,))
            simulator.start()
            self._simulator = simulator
            theirs.close()
        return super().reset(seed=seed, options=options)

    def step(self, action):
        self._wire.send(self._steps)
        self._wire.recv()
        return super().step(action)

    def close(self):
        if self._simulator is not None:
            self._wire.send(None)
            self._wire.close()
            self._simulator.join()
            self._simulator.close()
            self._simulator = None


PROGRAM = "import sys\nfor line in sys.stdin: print(int(line) + 1, flush=True)"


class Healthy(Plain):
    _simulator = None

    def reset(self, *, seed=None, options=None):
        if self._simulator is None:
            words = [sys.executable, "-I", "-S", "-c", PROGRAM]
            self._simulator = subprocess.Popen(
                words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
        return super().reset(seed=seed, options=options)

    def step(self, action):
        print(self._steps, file=self._simulator.stdin, flush=True)
        self._simulator.stdout.readline()
        return super().step(action)

    def close(self):
        if self._simulator is not None:
            self._simulator.communicate()
            self._simulator = None
