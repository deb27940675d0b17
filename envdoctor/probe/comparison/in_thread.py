"""One life off the main thread: what fails there and goes well in the main thread, and what it
returns otherwise with the same seed and actions.

Nothing is said of an environment that does not repeat itself in the main thread either.
"""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Callable, Dict, List, Mapping, NamedTuple, Optional, Tuple

from envdoctor.model.trajectory import Call
from envdoctor.probe.comparison.trajectory import Recorder, TrajectoryComparison, compare, load
from envdoctor.probe.errors import error_value
from envdoctor.probe.heartbeat import beat
from envdoctor.probe.ownership import Ownership, own_place
from envdoctor.probe.surviving import message_of

if TYPE_CHECKING:
    from types import FrameType

    from envdoctor.probe.comparison.trajectory import DrivenInstance


NAME = "envdoctor-life"  # of the thread
MAKE = "make"

ErrorWire = Mapping[str, object]


class Lived(NamedTuple):
    """Results of one life, and the call that raised first, if one did."""

    calls: List[Call]
    failed: str = ""
    error: Optional[ErrorWire] = None


class SwallowedErrors:
    """The first error about threads that is raised in a thread and caught there, with the line of
    the user's that met it.
    """

    def __init__(self, ownership: Ownership) -> None:
        self.wire: Optional[Dict[str, object]] = None
        self._ownership = ownership

    def __call__(
        self, frame: FrameType, event: str, argument: Tuple[type, BaseException, object]
    ) -> Optional[SwallowedErrors]:
        """Look at an event, as sys.settrace asks."""
        if self.wire is None and event == "exception" and "thread" in message_of(argument[1]):
            place = own_place(frame, self._ownership.is_users)
            self.wire = {
                "error": "%s: %s" % (argument[0].__name__, message_of(argument[1])),
                "place": place and dict(zip(("file", "line", "function"), place)),
            }
        return self if self.wire is None else None


class ThreadTrial:
    """Plays lives of instances that `launch` makes. `path` is the file of their recordings, `alone`
    what the plain life returned.
    """

    def __init__(
        self,
        launch: Callable[[], DrivenInstance],
        seed: int,
        steps: int,
        path: str,
        alone: List[Call],
        ownership: Ownership,
    ) -> None:
        self._launch = launch
        self._seed = seed
        self._steps = steps
        self._path = path
        self._alone = alone
        self._ownership = ownership

    def fact(self) -> Dict[str, object]:
        """The fact `in-thread`."""
        threaded = _in_thread(self._life)
        if threaded.failed:
            return self._confirmed_failure(threaded)
        comparison = compare(self._alone, threaded.calls)
        if comparison.difference is not None:
            return self._confirmed_difference(comparison)
        return {**comparison.as_dict(), **self._bound()}

    def _confirmed_failure(self, threaded: Lived) -> Dict[str, object]:
        main = self._life()
        if main.failed:
            return {"skipped": "%s() fails in the main thread as well" % main.failed}
        return {"calls": len(threaded.calls), "failed": threaded.failed, "error": threaded.error}

    def _confirmed_difference(self, first: TrajectoryComparison) -> Dict[str, object]:
        """Once more in the main thread, and once more in another one."""
        main = self._life()
        if main.failed or compare(self._alone, main.calls).difference is not None:
            return {"skipped": "what it returns is not reproducible in the main thread either"}
        swallowed = SwallowedErrors(self._ownership)
        again = compare(self._alone, _in_thread(self._life, swallowed).calls)
        if again.difference != first.difference:
            return {"skipped": "what it returns in a thread is not reproducible"}
        return {**first.as_dict(), "swallowed": swallowed.wire}

    def _bound(self) -> Dict[str, object]:
        """Return why an instance that is made in the main thread cannot be used in another one, or
        cannot be stepped in another one than it was reset in, where that was seen twice.
        """
        first, is_reset = self._used_in_threads()
        if not first.failed:
            return {}
        again, is_reset_again = self._used_in_threads()
        if (again.failed, is_reset_again) != (first.failed, is_reset):
            return {}
        if is_reset and self._life(steps=self._steps + 1).failed:
            return {}  # another thread is not needed for that
        return {"bound": first.failed, "error": first.error, "reset_elsewhere": is_reset}

    def _used_in_threads(self) -> Tuple[Lived, bool]:
        """The life of an instance that the main thread made: it is reset and stepped in a thread,
        and goes on in another one; and whether the call that failed came after that.
        """
        try:
            made = [self._launch()]
        except Exception:  # it was made in a thread just now: that is another matter
            return Lived([]), False
        later = []

        def use() -> Lived:
            used = self._life(made, ends=False)
            if used.failed:
                return used
            later.append(True)
            # This thread waits: the number of one that has ended is given to the next.
            return _in_thread(lambda: self._life(made, 1, begins=False))

        return _in_thread(use), bool(later)

    def _life(
        self,
        made: Optional[List[DrivenInstance]] = None,
        steps: Optional[int] = None,
        begins: bool = True,
        ends: bool = True,
    ) -> Lived:
        """Make an instance, unless it is `made`; reset, step and close it. No reference stays. One
        that was reset before does not begin again; it `ends` later only if nothing fails.
        """
        call = MAKE
        recorder = Recorder(self._path)
        hosts = [] if made is None else made
        failed, error = "", None
        try:
            if made is None:
                hosts.append(self._launch())
            hosts[0].recorder = recorder
            if begins:
                call = "reset"
                hosts[0].reset(self._seed)
            call = "step"
            for _ in range(self._steps if steps is None else steps):
                beat()
                if not hosts[0].is_over:
                    hosts[0].step()
            beat()
        except BaseException as raised:
            failed, error = call, error_value(raised, self._ownership)
        if ends or failed:
            try:
                if hosts and hosts[0].offers("close"):
                    hosts[0].close()
            except BaseException as raised:
                if not failed:
                    failed, error = "close", error_value(raised, self._ownership)
            hosts.clear()
        recorder.save()
        return Lived(load(self._path), failed, error)


def _in_thread(life: Callable[[], Lived], trace: Optional[SwallowedErrors] = None) -> Lived:
    """Play a life in a thread of its own and return its results; the thread is over then."""
    lived: List[Lived] = []

    def run() -> None:
        sys.settrace(trace)
        lived.append(life())
        sys.settrace(None)

    thread = threading.Thread(target=run, name=NAME)
    thread.start()
    thread.join()
    return lived[0]
