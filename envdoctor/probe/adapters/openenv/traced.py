"""Traced environments of OpenEnv's, with coroutines that the server calls in place of reset() and
step() where an environment overrides them.
"""

from __future__ import annotations

import functools
import sys
from types import CoroutineType

from envdoctor.probe.frameworks.names import is_instance_of
from envdoctor.probe.tracing.traced import TracedObject

PACKAGES = ("openenv.core.env_server", "openenv_core.env_server")
RESET, STEP = "reset_async", "step_async"


def is_environment(environment: object) -> bool:
    """Return whether it is an Environment of OpenEnv's by its class."""
    return any(
        is_instance_of(environment, "%s.interfaces" % package, "Environment")
        for package in PACKAGES
    )


def overrides(environment: object, name: str) -> bool:
    """Return whether its class has a method of its own in place of the base class's."""
    own = getattr(type(environment), name, None)
    bases = [
        getattr(sys.modules.get("%s.interfaces" % package), "Environment", None)
        for package in PACKAGES
    ]
    return own is not None and all(own is not getattr(base, name, None) for base in bases)


class TracedServed(TracedObject):
    """Its coroutines are journalled as reset() and step() are. Its close() is called by the server
    and never awaited, so a coroutine that it returns is one that never runs.
    """

    def __getattr__(self, name: str) -> object:
        if name in (RESET, STEP) and overrides(self.env, name):
            return functools.partial(_resetting if name == RESET else _stepping, self)
        return super().__getattr__(name)

    def _envdoctor_settled(self, answer: object) -> object:
        """Value that a call returned; None for a coroutine, which is closed and reported."""
        if isinstance(answer, CoroutineType):
            code = answer.cr_code
            place = {
                "file": code.co_filename,
                "line": code.co_firstlineno,
                "function": code.co_name,
            }
            value = {"name": answer.__qualname__, "place": place, "by_its_api": True}
            self._envdoctor_log.journal.write("fact", key="unawaited", value=value)
            answer.close()
            return None
        return answer


async def _resetting(traced: TracedServed, *args: object, **kwargs: object) -> object:
    log = traced._envdoctor_log
    log.resetting(**kwargs)
    before = log.random_states(traced.env)
    try:
        result = await traced.env.reset_async(*args, **kwargs)
    except BaseException as error:
        log.raised("reset-raised", error)
        raise
    log.reset(traced.env, before)
    return result


async def _stepping(traced: TracedServed, *args: object, **kwargs: object) -> object:
    try:
        return await traced.env.step_async(*args, **kwargs)
    except BaseException as error:
        traced._envdoctor_log.raised("step-raised", error)
        raise
