"""Methods of a traced environment, for every library."""

from __future__ import annotations

from typing import Any, Dict

from envdoctor.probe import awaiting
from envdoctor.probe.system.deadline import Stopwatch
from envdoctor.probe.wrappers import Shell

# And the name of an exception: the attribute that raises it, for managers that carry no call.
RAISING = "envdoctor_raises_"


class Traced:
    """Mixin over a wrapper that keeps the environment in `self.env` and its log in
    `self._envdoctor_log`.
    """

    env: Any
    _envdoctor_log: Any

    def reset(self, *args: object, **kwargs: object) -> object:
        """The environment's reset, journalled."""
        self._envdoctor_log.resetting(**kwargs)
        before = self._envdoctor_log.random_states(self.env)
        try:
            result = self._envdoctor_settled(self.env.reset(*args, **kwargs))
        except BaseException as error:
            self._envdoctor_log.raised("reset-raised", error)
            raise
        self._envdoctor_log.reset(self.env, before)
        return result

    def step(self, action: object) -> object:
        """The environment's step; journalled only when it raises, because this is the hot path."""
        try:
            return self._envdoctor_settled(self.env.step(action))
        except BaseException as error:
            self._envdoctor_log.raised("step-raised", error)
            raise

    def close(self, *args: object, **kwargs: object) -> object:
        """The environment's close, journalled."""
        self._envdoctor_log.closing(self.env)
        watch = Stopwatch()
        try:
            result = self._envdoctor_settled(self.env.close(*args, **kwargs))
        except BaseException as error:
            self._envdoctor_log.raised("close-raised", error, seconds=watch.seconds())
            raise
        self._envdoctor_log.write("closed", seconds=watch.seconds())
        return result

    def _envdoctor_settled(self, answer: object) -> object:
        """Return what a call returned. No API of a library has coroutines."""
        return answer

    def envdoctor_read(self) -> Dict[str, object]:
        """Read what the process of this instance holds; managers ask it of their workers."""
        from envdoctor.probe.growth import meters

        return meters.read_here()

    @property
    def envdoctor_holdings(self) -> Dict[str, object]:
        """That reading, for managers that carry no call to their workers, only the name of an
        attribute.
        """
        return self.envdoctor_read()

    def envdoctor_raise(self, name: str) -> None:
        """Raise an error of the package's class `name`, as the environment would."""
        from envdoctor.probe.subject import own_exceptions

        raise own_exceptions.example(type(getattr(self.env, "unwrapped", self.env)), name)

    def envdoctor_raise_in_worker(self, name: str) -> None:
        """Raise such an error in a worker only: in the parent, its manager asks an instance of its
        own first.
        """
        if not self._envdoctor_log.parent:
            self.envdoctor_raise(name)


class TracedObject(Traced, Shell):
    """For objects that only look like environments: everything else is the object's own."""

    def __init__(self, environment: object, log: object) -> None:
        self.env = environment
        self._envdoctor_log = log

    def close(self, *args: object, **kwargs: object) -> object:
        """The environment's close, journalled; then what belongs to the loop of its coroutines."""
        try:
            return super().close(*args, **kwargs)
        finally:
            awaiting.rest()

    def _envdoctor_settled(self, answer: object) -> object:
        """Return what a call returned, or its coroutine in the end."""
        return awaiting.settled(answer)

    def __getattr__(self, name: str) -> Any:
        if name in ("env", "_envdoctor_log"):  # asked before __init__ ran, by copy or pickle
            raise AttributeError(name)
        if name.startswith(RAISING):
            return self.envdoctor_raise_in_worker(name[len(RAISING) :])
        return getattr(self.env, name)
