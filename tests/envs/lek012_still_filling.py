"""Remembers what each of seven hundred rooms looks like: it grows slower and slower, and cannot
grow for ever.
"""

from __future__ import annotations

import random

from plain import Plain

ROOMS = {}
CHANCE = random.Random(0)


class Sick(Plain):
    rooms = 700

    def reset(self, *, seed=None, options=None):
        ROOMS.setdefault(CHANCE.randrange(self.rooms), bytearray(1024))
        return super().reset(seed=seed, options=options)


class Healthy(Sick):
    rooms = 1
