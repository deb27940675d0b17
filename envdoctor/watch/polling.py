"""Trainers that do nothing but sleep and look, again and again."""

from __future__ import annotations

from dataclasses import replace

from envdoctor.model.finding import Location
from envdoctor.model.training_ends import Polling
from envdoctor.model.training_instances import Instances
from envdoctor.watch.outside import Pulse, pulse

ASLEEP = 0.5  # of the looks at which it did not run: what polls waits for something else, too
BUSY = 0.5  # of the time, on a core: what computes between two looks does something
FEW = 4  # looks at which it did not run, that say nothing yet


class Polls:
    """Looks at the main thread of a trainer, once a second."""

    def __init__(self) -> None:
        self.until = 0.0  # the last look
        self._since = 0.0
        self._looks = self._asleep = self._resets = self._calls = 0
        self._first: Pulse | None = None
        self._polling: Polling | None = None

    def look(self, pid: int, instances: tuple[Instances, ...], now: float) -> None:
        """Take one look at a process, and at the instances of all of them."""
        self.take(pulse(pid), pid, instances, now)

    def take(
        self, known: Pulse | None, pid: int, instances: tuple[Instances, ...], now: float
    ) -> None:
        """Take the values of one look."""
        is_asleep = known.is_asleep if known is not None else False
        own = [each for each in instances if each.pid == pid]
        calls = sum(each.reset.began + each.step.began for each in own)
        resets = sum(each.reset.began for each in instances if each.pid != pid)
        self._looks += is_asleep is not None
        self._asleep += bool(is_asleep)
        first = self._first
        goes_on = first is not None and known is not None and first.writes == known.writes
        if not goes_on or calls != self._calls or self._is_awake(first, known, now):
            self._since, self._first, self._polling = now, known, None
            self._looks, self._asleep = int(is_asleep is not None), int(bool(is_asleep))
            self._resets, self._calls = resets, calls
        elif first is not None and known is not None:
            wakes = known.waits - first.waits
            self._polling = Polling(
                now - self._since, wakes, resets - self._resets, threads=known.threads
            )
        self.until = now

    def _is_awake(self, first: Pulse | None, known: Pulse | None, now: float) -> bool:
        if self._looks < FEW or first is None or known is None:
            return False
        is_busy = known.cpu - first.cpu > BUSY * (now - self._since)
        return is_busy or self._asleep < ASLEEP * self._looks

    def polling(
        self, asked: float, missed: float, frames: tuple[Location, ...] = ()
    ) -> Polling | None:
        """As it was at the last look; `asked` is when a request to end came, 0 where none did, and
        `missed` for how long at most it may not have been looked at before that. It left `frames`.
        """
        polling = self._polling
        is_asked = bool(asked) and self._since <= asked <= self.until + missed
        if polling is None or self._looks < FEW:
            return None
        return replace(polling, asked=is_asked, frames=frames)
