"""Up to Python 3.10 each function is called 1,040 times before the first reading, if it is quick."""

from __future__ import annotations

import pytest

from envdoctor.probe.growth import cycles
from envdoctor.probe.growth.cycles import Cycles, Size


@pytest.mark.parametrize(
    ("each", "least", "most"), [(0.0, 65, 2000), (0.001, 65, 2000), (1.0, 1, 8), (60.0, 1, 1)]
)
def test_slow_resets_are_few(
    each: float, least: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`each` is what a reset takes, in seconds."""

    class Clock:
        now = 0.0

    class Deadline:
        def __init__(self, seconds: float) -> None:
            self.end = Clock.now + seconds

        @property
        def passed(self) -> bool:
            return Clock.now > self.end

    class Counted(Cycles):
        resets = 0

        def run(self, size: Size) -> None:
            self.resets += size.resets
            Clock.now += each * size.resets

    monkeypatch.setattr(cycles, "Deadline", Deadline)
    counted = Counted()
    cycles._heat(counted, Size(3), Deadline(15.0))
    assert least <= counted.resets <= most
