"""A worker simulates coarsely, to spare its core: what is debugged alone is not what is trained."""

from __future__ import annotations

import multiprocessing

from plain import Plain

ARGUMENTS = ["--managers", "gymnasium-async", "--start-methods", "fork"]


class Sick(Plain):
    def _observe(self):
        observation = super()._observe()
        alone = multiprocessing.parent_process() is None
        return observation if alone else observation.round(1)


class Healthy(Plain):
    pass
