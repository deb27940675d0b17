"""Lines of the subject's own code that change something that belongs to the whole process.

Every line is followed by a reading, so it does not matter how it is done: by Python, by a library,
or natively.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Callable, Dict, Iterator, List, Mapping, Optional

from envdoctor.probe.sensors import appearing
from envdoctor.probe.system.deadline import Deadline

if TYPE_CHECKING:
    from types import FrameType

    from _typeshed import TraceFunction


BUDGET = 3.0  # seconds that a line-by-line search may take

Reading = Mapping[str, object]


def changes(before: Reading, after: Reading) -> Iterator[Dict[str, Optional[str]]]:
    """{"sensor", "key", "old", "new"} of each thing that differs; None for what is not there."""
    for sensor, now in after.items():
        then = before.get(sensor)
        if not isinstance(then, dict) or not isinstance(now, dict) or then == now:
            continue
        for key in dict.fromkeys((*then, *now)):
            if then.get(key) != now.get(key) and not (key not in then and sensor in appearing()):
                yield {"sensor": sensor, "key": key, "old": then.get(key), "new": now.get(key)}


class EffectSearch:
    """Follows the subject's lines in this thread and tells each that changed the process:
    `tell(change, frame)`, where frame is {"file", "line", "function"}. Ends by itself when its time
    is over.
    """

    def __init__(
        self,
        read: Callable[[], Reading],
        is_users: Callable[[str], bool],
        tell: Callable[[Dict[str, object], Dict[str, object]], None],
    ) -> None:
        self._read = read
        self._is_users = is_users
        self._tell = tell
        self._known: Dict[str, bool] = {}
        # The line that is being executed; None outside of the subject's code.
        self._place: Optional[Dict[str, object]] = None
        # Of each call of the subject's code that runs: the line of it that made the call.
        self._callers: List[Optional[Dict[str, object]]] = []
        self._last: Reading = {}
        self._deadline = Deadline(0.0)

    def start(self) -> None:
        """Follow every function that is called from now on."""
        self._deadline = Deadline(BUDGET)
        sys.settrace(self._called)

    def stop(self) -> None:
        """Follow nothing any more."""
        sys.settrace(None)

    def _called(self, frame: FrameType, _event: str, _argument: object) -> Optional[TraceFunction]:
        if self._deadline.passed:
            self.stop()
            return None
        if not self._users(frame.f_code.co_filename):
            return None
        if not self._callers:  # what others did before is not this line's doing
            self._last = self._read()
        self._callers.append(self._place)
        return self._followed

    def _followed(self, frame: FrameType, event: str, _argument: object) -> Optional[TraceFunction]:
        if event == "line":
            self._look()
            self._place = {
                "file": frame.f_code.co_filename,
                "line": frame.f_lineno,
                "function": frame.f_code.co_name,
            }
        elif event == "return":
            self._look()
            # What comes before the caller's next line is still its own line's doing.
            self._place = self._callers.pop() if self._callers else None
        return self._followed

    def _look(self) -> None:
        """Report what changed: the line before this one did it."""
        now = self._read()
        for change in changes(self._last, now):
            if self._place is not None:
                self._tell(dict(change), self._place)
        self._last = now

    def _users(self, filename: str) -> bool:
        known = self._known.get(filename)
        if known is None:
            known = self._known[filename] = self._is_users(filename)
        return known
