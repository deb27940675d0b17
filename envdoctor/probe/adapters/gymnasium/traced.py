"""A traced Gymnasium environment: a wrapper, because managers insist on a gymnasium.Env."""

from __future__ import annotations

from typing import Any

import gymnasium

from envdoctor.probe.tracing.traced import RAISING, Traced


class TracedGymnasium(Traced, gymnasium.Wrapper):  # type: ignore[misc]
    """Changes nothing but the journal; `spec` is the environment's own, without a trace of this
    wrapper.
    """

    def __init__(self, environment: object, log: object) -> None:
        gymnasium.Wrapper.__init__(self, environment)
        self._envdoctor_log = log

    @property
    def spec(self) -> object:
        """The environment's own specification."""
        return self.env.spec

    def __getattr__(self, name: str) -> Any:
        """Raise what the name of an attribute says, for managers that carry no call; else what the
        wrapper does.
        """
        if name.startswith(RAISING):
            return self.envdoctor_raise_in_worker(name[len(RAISING) :])
        inherited = getattr(super(), "__getattr__", None)
        if inherited is None:
            raise AttributeError("%r object has no attribute %r" % (type(self).__name__, name))
        return inherited(name)
