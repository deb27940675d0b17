"""Every instance signs up for a clock and never leaves it."""

from __future__ import annotations

from plain import Plain

CLOCK = []  # who wants to hear of each tick


class Sick(Plain):
    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        CLOCK.append(self)


class Healthy(Sick):
    def close(self):
        if self in CLOCK:
            CLOCK.remove(self)
        super().close()
