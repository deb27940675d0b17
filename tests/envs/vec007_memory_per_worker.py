"""A world of 1.2 GB that every instance loads for itself once it has walked a little; the twin
keeps what its agent can see.
"""

from __future__ import annotations

from plain import Plain

# What loads the world again and again (the leak check) is left out: it takes a second each
# time.
ARGUMENTS = ["--managers", "gymnasium-async", "--start-methods", "fork", "--select", "VEC,MAK"]

PAGE = 4096
WORLD, SIGHT = 1_200_000_000, 1_000_000  # bytes
NEAR = 10  # steps that the agent can go before it sees more than its start


def load(size):
    """A world of so many bytes, each of its pages written."""
    world = bytearray(size)
    world[::PAGE] = bytes(len(range(0, size, PAGE)))
    return world


class Walker(Plain):
    size = 0
    _world = None
    _gone = 0

    def step(self, action):
        self._gone += 1
        if self._gone > NEAR and self._world is None:
            self._world = load(self.size)
        return super().step(action)

    def close(self):
        self._world = None
        super().close()


class Sick(Walker):
    size = WORLD


class Healthy(Walker):
    size = SIGHT
