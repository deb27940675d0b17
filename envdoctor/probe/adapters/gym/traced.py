"""A traced environment of the older gym (0.19 to 0.26)."""

from __future__ import annotations

import gym

from envdoctor.probe.tracing.traced import Traced


class TracedGym(Traced, gym.Wrapper):  # type: ignore[misc]
    """Changes nothing but the journal."""

    def __init__(self, environment: object, log: object) -> None:
        gym.Wrapper.__init__(self, environment)
        self._envdoctor_log = log

    def __getattr__(self, name: str) -> object:
        """Private names too: gym's own wrapper refuses them, an environment's neighbours may
        not.
        """
        if name in ("env", "_envdoctor_log"):
            raise AttributeError(name)
        return getattr(self.env, name)
