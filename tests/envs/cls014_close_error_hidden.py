"""close() saves a recording, which only record() begins; without it, the error is raised in a worker
and lost.
"""

from __future__ import annotations

from plain import Plain

ARGUMENTS = ["--managers", "direct,gymnasium-async", "--start-methods", "fork"]
ALSO = ["CLS001"]


class Healthy(Plain):
    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._actions = None

    def reset(self, *, seed=None, options=None):
        self._actions = []
        return super().reset(seed=seed, options=options)

    def step(self, action):
        self._actions.append(int(action))
        return super().step(action)

    def close(self):
        if self._actions is not None:
            self._save()
            self._actions = None
        super().close()

    def _save(self):
        self._saved = len(self._actions)


class Sick(Healthy):
    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._frames = 0

    def record(self):
        self._recorded_actions = []

    def _save(self):
        self._saved = len(self._recorded_actions)
