"""A traced environment of TorchRL: an EnvBase for all code that asks, because TorchRL drives its
environments by more than reset and step.
"""

from __future__ import annotations

import types

from envdoctor.probe.tracing.traced import TracedObject

#: What an EnvBase does by calling its own reset() and step(): those that are traced.
BY_ITSELF = ("step_and_maybe_reset", "_step_and_maybe_reset", "maybe_reset", "rollout", "rand_step")


class TracedEnvBase(TracedObject):
    """Changes nothing but the journal."""

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """Of the environment's class to isinstance()."""
        return type(self.env)

    def __getattr__(self, name: str) -> object:
        if name in BY_ITSELF:
            return types.MethodType(getattr(type(self.env), name), self)
        return super().__getattr__(name)

    def _step(self, tensordict: object) -> object:
        """The half of step() that some batches call by themselves, journalled when it raises."""
        try:
            return self.env._step(tensordict)
        except BaseException as error:
            self._envdoctor_log.raised("step-raised", error)
            raise

    def set_spec_lock_(self, mode: bool = True) -> object:
        """Hands itself on, as the environment does."""
        self.env.set_spec_lock_(mode)
        return self

    def to(self, device: object) -> object:
        """Hands itself on, as the environment does."""
        self.env.to(device)
        return self

    def __str__(self) -> str:
        return str(self.env)

    __repr__ = __str__
