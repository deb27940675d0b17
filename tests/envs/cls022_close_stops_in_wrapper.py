"""A recorder around an environment that keeps a file open: its close() ends its own work, and does
not pass the call on.
"""

from __future__ import annotations

import os

import gymnasium
from plain import Plain

ALSO = ["CLS006"]  # cured by the same line


class Logged(Plain):
    log = None

    def reset(self, *, seed=None, options=None):
        if self.log is None:
            self.log = open(os.devnull)  # noqa: SIM115
        return super().reset(seed=seed, options=options)

    def close(self):
        if self.log is not None:
            self.log.close()
            self.log = None


class Recorder(gymnasium.Wrapper):
    def close(self):
        self.frames = []


class WholeRecorder(Recorder):
    def close(self):
        super().close()
        self.env.close()


def Sick():
    return Recorder(Logged())


def Healthy():
    return WholeRecorder(Logged())
