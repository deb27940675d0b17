"""What it recorded is saved by close(), and the recorder cannot; AsyncVectorEnv says all is
well.
"""

from __future__ import annotations

from plain import Plain

ARGUMENTS = ["--managers", "gymnasium-async", "--start-methods", "fork"]
ALSO = ["CLS001", "CLS014", "PRC003"]


class Sick(Plain):
    _frames = None

    def reset(self, *, seed=None, options=None):
        self._frames = []
        return super().reset(seed=seed, options=options)

    def close(self):
        if self._frames is not None:
            self._frames.save()


class Healthy(Sick):
    def close(self):
        self._frames = None
