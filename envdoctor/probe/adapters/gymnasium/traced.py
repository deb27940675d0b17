"""A traced Gymnasium environment: a wrapper, because managers insist on a gymnasium.Env."""

from __future__ import annotations

from typing import Any

import gymnasium

from envdoctor.probe.tracing.traced import Traced


class TracedGymnasium(Traced, gymnasium.Wrapper):  # type: ignore[misc]
    """Changes nothing but the journal; `spec` is the environment's own, without a trace of this
    wrapper.
    """

    def __init__(self, environment: Any, log: Any) -> None:
        gymnasium.Wrapper.__init__(self, environment)
        self._envdoctor_log = log

    @property
    def spec(self) -> Any:
        """The environment's own specification."""
        return self.env.spec
