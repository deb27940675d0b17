"""Payloads of an instance to another process: spaces, observations and infos, there and back."""

from __future__ import annotations

import contextlib
from typing import Any, Dict

from envdoctor.probe.adapters.direct import DirectHost
from envdoctor.probe.comparison.aliasing import Taker
from envdoctor.probe.frameworks import shapes
from envdoctor.probe.ownership import Ownership
from envdoctor.probe.pickling.round_trip import RoundTripTrial, attempt
from envdoctor.probe.surviving import there_and_back
from envdoctor.probe.system.deadline import Deadline

STEPS = 20
# Seconds that the steps may take together: one more look at a slow environment is not worth more.
PATIENCE = 0.25

SPACES = ("observation_space", "action_space")


class Tap(Taker):
    """Stands around an environment and tries all that it returns, until a kind of it does not
    survive.
    """

    def __init__(self, environment: Any, ownership: Ownership) -> None:
        self._traced = environment
        self.env = environment.env
        self.ownership = ownership
        self.observation = RoundTripTrial()
        self.info = RoundTripTrial()

    @property
    def action_space(self) -> object:
        """The environment's, as it is now."""
        return getattr(self._traced, "action_space", None)

    def reset(self, **kwargs: object) -> object:
        """The environment's reset."""
        result = self._traced.reset(**kwargs)
        older = not (isinstance(result, tuple) and len(result) == 2 and isinstance(result[1], dict))
        self._try("reset", result if older else result[0], {} if older else result[1])
        return result

    def step(self, action: object) -> object:
        """The environment's step."""
        result = self._traced.step(action)
        if isinstance(result, tuple) and len(result) in (4, 5):
            self._try("step", result[0], result[-1])
        return result

    def next(self, call: str, observation: object, info: object) -> None:
        """Try what was returned to a host that drives the environment itself."""
        self._try(call, observation, dict(info) if isinstance(info, dict) else info)

    def _try(self, call: str, observation: object, info: object) -> None:
        # All alike, and maybe large.
        if self.observation.ok and self.observation.call != call:
            self.observation = self._sent("observation", call, observation)
        if self.info.ok and info:
            self.info = self._sent("info", call, info)

    def tried(self) -> Dict[str, Dict[str, object]]:
        """{what: its round trip}."""
        return {"observation": self.observation._asdict(), "info": self.info._asdict()}

    def _sent(self, name: str, call: str, value: object) -> RoundTripTrial:
        return attempt(value, there_and_back, self.ownership, name, call)


def try_payloads(host: Any, ownership: Ownership) -> Dict[str, Dict[str, object]]:
    """{what: its round trip} of the instance that `host` drives. What it raises while it is driven
    is reported elsewhere.
    """
    tap = Tap(host.environment, ownership)
    driver, deadline = _driver(host, tap), Deadline(PATIENCE)
    with contextlib.suppress(Exception):
        driver.reset(None)
        for _ in range(STEPS):
            driver.step()
            if deadline.passed:
                break
    return dict(tap.tried(), **_try_spaces(host.environment, ownership))


def _driver(host: Any, tap: Tap) -> DirectHost:
    """One through which all goes that the environment returns. A shape is not recognised through
    what stands around it.
    """
    if shapes.of(host.environment) is None:
        return DirectHost(tap, host.seed)
    driver = DirectHost(host.environment, host.seed)
    driver.returned_arrays = tap
    return driver


def _try_spaces(environment: object, ownership: Ownership) -> Dict[str, Dict[str, object]]:
    spaces = {name: getattr(environment, name, None) for name in SPACES}
    return {
        name: attempt(space, _arrives_equal, ownership, name)._asdict()
        for name, space in spaces.items()
        if space is not None and not callable(space)  # PettingZoo's are methods
    }


def _arrives_equal(value: object) -> None:
    """A space is compared in the worker with the one that is there."""
    if not there_and_back(value) == value:
        raise ValueError("what arrives is not equal to what was sent")
