"""How the memory of a probe goes on while one call runs."""

from __future__ import annotations

MUCH = 0.5  # of the ceiling: what takes less may be slow for another reason


class MemoryOfCall:
    """Bytes that were held, as they were weighed during the present call. On a busy machine, or one
    with much memory, a call may pass its deadline before it meets the ceiling that it runs towards.
    """

    def __init__(self, ceiling: int) -> None:
        self._ceiling = ceiling
        self._since = -1.0
        self._weighed: list[int] = []

    def add(self, since: float, held: int) -> None:
        """They were weighed, in the call that began at `since`."""
        if since != self._since:
            self._since, self._weighed = since, []
        self._weighed.append(held)

    @property
    def held(self) -> int:
        """Bytes at the last weighing."""
        return self._weighed[-1] if self._weighed else 0

    @property
    def rises(self) -> bool:
        """Whether the call holds much, and took a good part of it in each half of its time."""
        if self.held < MUCH * self._ceiling:
            return False
        first, middle, last = (self._weighed[at] for at in (0, len(self._weighed) // 2, -1))
        return min(middle - first, last - middle) > (last - first) / 4
