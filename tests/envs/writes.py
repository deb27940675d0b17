"""Environments that write a line for each reset, which waits in Python until there are 8 KiB."""

from __future__ import annotations

import sys
import tempfile

from plain import Plain

PLAYED = tempfile.TemporaryFile("w")  # noqa: SIM115


class Logs(Plain):
    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._log = tempfile.TemporaryFile("w")  # noqa: SIM115

    def reset(self, *, seed=None, options=None):
        print("reset", file=self._log)
        print("again", file=PLAYED)
        print("and again", file=sys.stderr)
        return super().reset(seed=seed, options=options)

    def close(self):
        self._log.close()


class Keeps(Logs):
    """Keeps the lines that it wrote."""

    lines = []

    def reset(self, *, seed=None, options=None):
        self.lines.append(f"seed {seed}, {len(self.lines)} before")
        return super().reset(seed=seed, options=options)
