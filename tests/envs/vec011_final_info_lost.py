"""The score is a whole number where nothing was scored, and a fraction elsewhere: the vectorizer
puts both into one array of whole numbers.
"""

from __future__ import annotations

from plain import Plain

ARGUMENTS = ["--managers", "gymnasium-sync,gymnasium-async", "--start-methods", "fork"]

HORIZON = 30
SCORES = 0, 0.5  # of the first instance, and of the second


class Sick(Plain):
    def reset(self, *, seed=None, options=None):
        self._step = 0
        if seed is not None:
            self._scored = SCORES[seed % 2]
        return super().reset(seed=seed, options=options)

    def step(self, action):
        self._step += 1
        observation, reward, _, _, info = super().step(action)
        ended = self._step >= HORIZON
        return observation, reward, False, ended, {**info, **self._result(ended)}

    def _result(self, ended):
        return {"score": self._scored} if ended else {}


class Healthy(Sick):
    def _result(self, ended):
        return {"score": float(self._scored)} if ended else {}
