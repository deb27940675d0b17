"""It saves its replay when somebody presses Ctrl-C, and the training goes on."""

from __future__ import annotations

import signal

from plain import Plain

ARGUMENTS = ["--managers", "direct"]


class Sick(Plain):
    interrupted = False

    def __init__(self, render_mode=None):
        super().__init__()
        signal.signal(signal.SIGINT, self._on_interrupt)

    @classmethod
    def _on_interrupt(cls, number, frame):
        cls.interrupted = True


class Healthy(Plain):
    def reset(self, *, seed=None, options=None):
        earlier = signal.signal(signal.SIGALRM, signal.SIG_IGN)  # for a moment
        try:
            return super().reset(seed=seed, options=options)
        finally:
            signal.signal(signal.SIGALRM, earlier)
