"""The history of all actions is the module's, so it gets longer for ever; no new object is made."""

from __future__ import annotations

from plain import Plain

ACTIONS = []


class Sick(Plain):
    def step(self, action):
        ACTIONS.append(int(action))
        return super().step(action)


class Healthy(Plain):
    def reset(self, *, seed=None, options=None):
        self._actions = []
        return super().reset(seed=seed, options=options)

    def step(self, action):
        self._actions.append(int(action))
        return super().step(action)
