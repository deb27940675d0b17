"""A simulator in a process of its own keeps what each episode loads; the twin's frees it."""

from __future__ import annotations

import subprocess
import sys

from plain import Plain

ARGUMENTS = ["--managers", "direct"]
SIZE = 1 << 18

SIMULATOR = """
import sys
kept = []
for line in sys.stdin:
    if not %(keeps)s:
        kept.clear()
    kept.append(bytearray(b"x") * %(size)d)
    print("ready", flush=True)
"""


class Sick(Plain):
    keeps = True
    _simulator = None

    def reset(self, *, seed=None, options=None):
        if self._simulator is None:
            program = SIMULATOR % {"keeps": self.keeps, "size": SIZE}
            self._simulator = subprocess.Popen(
                [sys.executable, "-S", "-c", program],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        self._simulator.stdin.write("reset\n")
        self._simulator.stdin.flush()
        self._simulator.stdout.readline()
        return super().reset(seed=seed, options=options)

    def close(self):
        if self._simulator is not None:
            self._simulator.communicate()
            self._simulator = None
        super().close()


class Healthy(Sick):
    keeps = False
