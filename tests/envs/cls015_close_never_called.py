"""close() of the first instance raises, so the vector environment never reaches the second."""

from __future__ import annotations

from plain import Plain

ARGUMENTS = ["--managers", "direct,gymnasium-sync"]
ALSO = ["CLS001"]


class Healthy(Plain):
    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._route = None

    def reset(self, *, seed=None, options=None):
        self._route = []
        return super().reset(seed=seed, options=options)

    def close(self):
        if self._route is not None:
            self._summarise(self._route)
            self._route = None
        super().close()

    def _summarise(self, route):
        self.mean_position = sum(route) / len(route) if route else 0.0


class Sick(Healthy):
    def _summarise(self, route):
        self.mean_position = sum(route) / len(route)  # nobody ever appends to the route
