"""No collection may fall into a step, so the collector is switched off at the first one."""

from __future__ import annotations

import gc

from plain import Plain

ARGUMENTS = ["--managers", "direct"]


class Sick(Plain):
    def reset(self, *, seed=None, options=None):
        gc.disable()
        return super().reset(seed=seed, options=options)


class Healthy(Plain):
    def step(self, action):
        was_on = gc.isenabled()
        gc.disable()
        try:
            return super().step(action)
        finally:
            if was_on:
                gc.enable()
