"""An environment whose reset() fails once, to see how its manager goes on. Nothing is done to
the environment itself: it is not called.
"""

from __future__ import annotations

import os
from typing import Any, Callable

from envdoctor.model.faults import TEXT
from envdoctor.probe.tracing.faults import InjectedError

# The file beside the journal that says that it has: a renewed worker begins with what the first one
# began with.
MARK = ".failed-once"


class FailingOnce:
    """Builds what `build` builds. The first instance that is reset a second time, which has taken
    then what it takes, raises InjectedError instead: one of all, in any process.
    """

    def __init__(self, build: Callable[[], object], journal: str) -> None:
        self.build = build
        self.mark = journal + MARK

    def __call__(self) -> object:
        """One instance. Raises what `build` raises."""
        return FailingMethod(self.build(), self.mark)


class FailingMethod:
    """Passes on everything but that one reset()."""

    def __init__(self, environment: Any, mark: str) -> None:
        self._environment = environment
        self._mark = mark
        self._resets = 0

    def reset(self, *args: object, **kwargs: object) -> object:
        """The environment's reset. Raises InjectedError for the one that fails, and journals
        that first.
        """
        self._resets += 1
        if self._resets > 1 and _is_first(self._mark):
            self._environment._envdoctor_log.write("failing")
            raise InjectedError(TEXT)
        return self._environment.reset(*args, **kwargs)

    def __getattr__(self, name: str) -> object:
        if name == "_environment":  # asked before __init__ ran, by copy or pickle
            raise AttributeError(name)
        return getattr(self._environment, name)

    def __repr__(self) -> str:
        return repr(self._environment)


def _is_first(mark: str) -> bool:
    """Return whether this is the first call, in any process."""
    try:
        os.close(os.open(mark, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        return False
    return True
