"""The plan of an arm has forty waypoints, and nobody ever went on for longer than that."""

from __future__ import annotations

from plain import Plain

ARGUMENTS = ["--managers", "direct"]

WAYPOINTS = [0.1] * 40
HORIZON = 50


class Sick(Plain):
    def reset(self, *, seed=None, options=None):
        self._step = 0
        return super().reset(seed=seed, options=options)

    def step(self, action):
        observation, _, _, _, info = super().step(action)
        reward = self._next()
        return observation, reward, False, self._step >= HORIZON, info

    def _next(self):
        reward = WAYPOINTS[self._step]
        self._step += 1
        return reward


class Healthy(Sick):
    def _next(self):
        self._step += 1
        return WAYPOINTS[min(self._step, len(WAYPOINTS) - 1)]
