"""Environments that a server offers to its sessions: OpenEnv's. An action is an object of a class
of each environment's own, and an observation says whether the episode is over.
"""

from __future__ import annotations

import inspect
import sys
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Dict, Iterator, Optional, Tuple

from envdoctor.probe import action_classes, awaiting, given_actions
from envdoctor.probe.adapters.openenv.traced import (
    PACKAGES,
    RESET,
    STEP,
    TracedServed,
    is_environment,
    overrides,
)
from envdoctor.probe.frameworks.names import is_instance_of
from envdoctor.probe.frameworks.shapes import Shape, Transition
from envdoctor.probe.wrappers import bare

if TYPE_CHECKING:
    from openenv.core.env_server.http_server import HTTPEnvServer
    from openenv.core.env_server.interfaces import Environment

OUTCOME = ("done", "reward")
UNNAMED = "its step() names no class of its own for its actions"

_serving: Dict[
    object, Tuple[object, HTTPEnvServer]
] = {}  # {factory: (an application that serves it, its server)}


class Served(Shape):
    """It has no spaces: objects go in and out."""

    NAME = "openenv"
    GUESSES = True

    def recognises(self, environment: object) -> bool:
        """By its class."""
        return isinstance(environment, NullServed) or is_environment(environment)

    def refuses(self, environment: object) -> str:
        """Refused where nothing says which actions are legal, and none is given."""
        if given_actions.are_given() or isinstance(environment, NullServed):
            return ""
        fields = _fields(environment)
        reason = UNNAMED if fields is None else fields.why_not
        return "%s; %s" % (reason, given_actions.HOW) if reason else ""

    def seeds(self, environment: object) -> bool:
        """Return whether the coroutine that is awaited in place of reset() takes a seed, too."""
        if not _awaits(environment, RESET):
            return True
        return "seed" in inspect.signature(bare(environment).reset_async).parameters

    def actions(self, environment: object) -> object:
        """Made of the fields of their class."""
        return _fields(environment)

    def reset(self, environment: Environment, **arguments: object) -> Tuple[object, object]:
        """Begin an episode, by its coroutine where it has one of its own, as its server does."""
        begin = environment.reset_async if _awaits(environment, RESET) else environment.reset
        return _observed(awaiting.settled(begin(**arguments))), {}

    def transition(self, environment: Environment, action: object) -> Transition:
        """One step."""
        step = environment.step_async if _awaits(environment, STEP) else environment.step
        observation = awaiting.settled(step(action))
        over = bool(getattr(observation, "done", False))
        return _observed(observation), getattr(observation, "reward", None), over, False, {}

    def factory_in(self, target: object) -> object:
        """Factory of the environments of an application that serves them."""
        for factory, (application, _) in _serving.items():
            if application is target:  # its server may have been given another one since
                return factory
        for server in servers_of(target):
            factory = server._env_factory
            _serving[factory] = (target, server)
            return factory
        return None

    def nature(self, environment: object) -> object:
        """Two flags: one server may have several of it, and its calls are coroutines."""
        concurrent = bool(getattr(environment, "SUPPORTS_CONCURRENT_SESSIONS", False))
        return concurrent, any(_awaits(environment, name) for name in (RESET, STEP))

    def null(self, nature: Tuple[bool, bool]) -> object:
        """One that answers nothing."""
        return _null_class(*nature)()

    def traced(self, environment: object, log: object) -> object:
        """With its coroutines."""
        return TracedServed(environment, log)


def _fields(environment: object) -> Optional[action_classes.Fields]:
    """Fields of its actions; None where no class has them."""
    kind = action_class(type(bare(environment)))
    return None if kind is None else action_classes.Fields(kind)


def action_class(environment: object) -> Optional[type]:
    """The class of the actions of a class of environments, as its step() or its server says; None
    where neither does. The base class of all actions does not.
    """
    said = [getattr(server, "action_cls", None) for _, server in _serving.values()]
    _, own = _serving.get(environment, (None, None))
    named = [action_classes.class_in(environment, method) for method in ("step", STEP)]
    for kind in (*named, getattr(own, "action_cls", None), *said):
        if kind is not None and not _is_base(kind):
            return kind
    return None


def serving(factory: object) -> Optional[Tuple[object, HTTPEnvServer]]:
    """The application that serves what a factory builds, and its server; None for a factory that
    was not named by its application.
    """
    return _serving.get(factory)


def _is_base(kind: object) -> bool:
    return any(
        kind is getattr(sys.modules.get("%s.types" % package), "Action", None)
        for package in PACKAGES
    )


def _awaits(environment: object, name: str) -> bool:
    """Return whether its server would await its own coroutine in place of the plain method."""
    return overrides(bare(environment), name)


def _observed(observation: object) -> object:
    """Fields of an observation, without the outcome of a step."""
    dump = getattr(observation, "model_dump", None)
    if not callable(dump):
        return observation
    return {name: value for name, value in dump().items() if name not in OUTCOME}


def servers_of(application: object) -> Iterator[HTTPEnvServer]:
    """The servers whose routes an application has: they are in what these remember."""
    for route in list(getattr(application, "routes", None) or ()):
        for cell in getattr(getattr(route, "endpoint", None), "__closure__", None) or ():
            if any(
                is_instance_of(cell.cell_contents, "%s.http_server" % package, "HTTPEnvServer")
                for package in PACKAGES
            ):
                yield cell.cell_contents


class NullServed:
    """Every episode is endless."""

    def reset(self, seed: object = None, episode_id: object = None) -> object:
        """Nothing to see."""
        return self.nothing()

    def step(self, action: object, timeout_s: object = None) -> object:
        """Nothing to see."""
        return self.nothing()

    def close(self) -> None:
        """Nothing to give back."""

    def nothing(self) -> object:
        """Value that its calls return."""

    state = None


@lru_cache(maxsize=None)
def _null_class(concurrent: bool, awaited: bool) -> type:
    """Made late, because OpenEnv must not be imported for other libraries' environments. Without
    it, what cannot be served.
    """
    base: Any = getattr(sys.modules.get("%s.interfaces" % PACKAGES[0]), "Environment", None)
    observation: Any = getattr(sys.modules.get("%s.types" % PACKAGES[0]), "Observation", None)
    if base is None or observation is None:
        return NullServed

    class NullEnvironment(NullServed, base):  # type: ignore[misc]
        """A null environment as the server of OpenEnv takes it."""

        SUPPORTS_CONCURRENT_SESSIONS = concurrent

        def nothing(self) -> object:
            return observation()

    class NullAwaited(NullEnvironment):
        """A null environment whose calls are coroutines."""

        async def reset_async(self, seed: object = None, episode_id: object = None) -> object:
            return self.reset(seed, episode_id)

        async def step_async(self, action: object, timeout_s: object = None) -> object:
            return self.step(action, timeout_s)

    return NullAwaited if awaited else NullEnvironment


SHAPE = Served()
