"""Jobs of multiprocessing's pools whose result a script no longer waits for, although it is not
there: a worker may compute on.
"""

from __future__ import annotations

import sys
import types
import weakref
from typing import TYPE_CHECKING, Callable, Dict, List, Protocol, Tuple

from envdoctor.probe.journal import encoded
from envdoctor.probe.live.counted import passing, raising
from envdoctor.probe.ownership import Ownership, frame_of, own_place

if TYPE_CHECKING:
    from envdoctor.probe.live.boot import Hook

RESULT, LATER, MOST = "ApplyResult", 16, 16  # results of other jobs after it; jobs of a process


class PoolResult(Protocol):
    """A result of a pool: `_cache` has those that are not there yet."""

    _job: int
    _cache: Dict[int, object]

    def ready(self) -> bool:
        """Return whether it is there."""


class _Job:
    """One that was given up at a line; `later` results of its pool came since."""

    __slots__ = ("frame", "later", "reference", "workers")

    def __init__(self, result: PoolResult, place: Tuple[str, int, str]) -> None:
        self.reference, self.workers = weakref.ref(result), _workers(result)
        self.frame, self.later = frame_of(place), 0


def take(hook: Hook, module: types.ModuleType) -> None:
    """Follow the results of the pools of a process; `module` is that of multiprocessing's pools."""
    jobs = GivenUpJobs(hook)
    kind = getattr(module, RESULT)
    calls: Tuple[Tuple[str, Callable[..., object], Callable[..., None]], ...] = (
        ("get", passing, jobs.waits),
        ("get", raising, jobs.fails),
        ("_set", passing, jobs.arrives),
    )
    for name, wrap, call in calls:
        setattr(kind, name, wrap(getattr(kind, name), call))


class GivenUpJobs:
    """Those of the process, by their numbers."""

    def __init__(self, hook: Hook) -> None:
        self._hook = hook
        self._jobs: Dict[int, _Job] = {}

    def waits(self, result: PoolResult) -> None:
        """A result is waited for, again where it was given up."""
        self._jobs.pop(result._job, None)

    def fails(self, result: PoolResult, error: BaseException) -> None:
        """No result came in time, where it is not there. Nothing of ours reaches the user."""
        try:
            place = own_place(sys._getframe(1), Ownership().is_users)
            is_given_up = type(error).__name__ == "TimeoutError" and not result.ready()
            is_followed = place is not None and len(self._jobs) < MOST and _workers(result)
            if place is not None and is_given_up and is_followed:
                self._jobs[result._job] = _Job(result, place)
        except Exception as ours:
            self._hook.complain(type(ours).__name__)

    def arrives(self, result: PoolResult) -> None:
        """A result is there. Nothing of ours reaches the user."""
        try:
            job = self._jobs.pop(result._job, None)
            if job is not None and job.later >= LATER:
                self._tell("job-ended", number=result._job)
            for number, other in list(self._jobs.items()):
                if number in result._cache and other.reference() is result._cache[number]:
                    other.later += 1
                    if other.later == LATER:
                        keys = {"workers": other.workers, "frame": other.frame}
                        self._tell("job-given-up", number=number, **keys)
        except Exception as error:
            self._hook.complain(type(error).__name__)

    def _tell(self, what: str, **keys: object) -> None:
        self._hook.write(encoded("watched", dict(keys, what=what)))


def _workers(result: object) -> List[int]:
    """The processes of the pool of a result; a pool of threads has none."""
    pool = getattr(result, "_pool", None)
    pids = [getattr(each, "pid", None) for each in list(getattr(pool, "_pool", ()))]
    return [pid for pid in pids if pid is not None]
