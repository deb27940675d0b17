"""The memory of a probe while one call runs."""

from __future__ import annotations

MUCH = 0.2  # of the ceiling: what takes less by its deadline may be slow for another reason
HALF, LATE = 0.5, 0.75  # of the time of a call
GOOD_PART = 0.25  # of what a call took: in each half of its time, and half of it at the end


class MemoryOfCall:
    """Bytes that were held, as they were weighed during the present call. On a busy machine, or one
    with much memory, a call may pass its deadline before it meets the ceiling that it runs towards.
    """

    def __init__(self, ceiling: int) -> None:
        self._ceiling = ceiling
        self._since = -1.0
        self._weighed: list[tuple[float, int]] = []

    def add(self, since: float, moment: float, held: int) -> None:
        """They were weighed at a moment, in the call that began at `since` (time.monotonic())."""
        if since != self._since:
            self._since, self._weighed = since, []
        self._weighed.append((moment, held))

    def is_much(self, held: int) -> bool:
        """Return True if a good part of the ceiling is held."""
        return held >= MUCH * self._ceiling

    @property
    def rises(self) -> bool:
        """True if the call holds much, took a good part of it in each half of its time, and takes
        more to the end: one that took it at once, and then hangs, does not.
        """
        if not self._weighed or not self.is_much(self._weighed[-1][1]):
            return False
        first, last = self._weighed[0][1], self._weighed[-1][1]
        middle, late = self._held_after(HALF), self._held_after(LATE)
        part = GOOD_PART * (last - first)
        return min(middle - first, last - middle) > part and last - late > part / 2

    def _held_after(self, share: float) -> int:
        """Bytes that were held after a share of the time of the call."""
        began, ended = self._weighed[0][0], self._weighed[-1][0]
        until = began + share * (ended - began)
        return [held for moment, held in self._weighed if moment <= until][-1]
