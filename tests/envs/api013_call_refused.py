"""The arm insists on a seed at every reset: it was only ever called by its author's script."""

from __future__ import annotations

from plain import Plain

ARGUMENTS = ["--managers", "direct"]
ALSO = ["API001"]  # Gymnasium's own checker calls reset() without a seed, too


class Sick(Plain):
    def reset(self, *, seed, options=None):
        return super().reset(seed=seed, options=options)


class Healthy(Plain):
    def reset(self, *, seed=None, options=None):
        return super().reset(seed=seed, options=options)
