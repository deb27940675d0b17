"""The clock of what a thread could have used: it never runs backwards, however busy the machine is."""

from __future__ import annotations

import pytest

from envdoctor.probe import clock


class Machine:
    """It lets the thread wait for `lost` seconds after its readings of `busy` numbers."""

    def __init__(self, lost: float, busy: set[int]) -> None:
        self.lost, self.busy = lost, busy
        self.readings, self.seconds, self.waiting = 0, 0.0, 0.0

    def _read(self, value: float) -> float:
        self.seconds += 0.001
        self.readings += 1
        if self.readings in self.busy:
            self.seconds += self.lost
            self.waiting += self.lost
        return value

    def monotonic(self) -> float:
        return self._read(self.seconds)

    def waited(self) -> float:
        return self._read(self.waiting)


@pytest.mark.parametrize("busy", [set(), {1}, {2}, {3}, {1, 3}, {2, 5}, {4}, {1, 2, 3, 4, 5}])
def test_clock_never_runs_backwards(busy: set[int], monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(5.0, busy)
    monkeypatch.setattr(clock, "monotonic", machine.monotonic)
    monkeypatch.setattr(clock, "waited", machine.waited)
    began = clock.now()
    assert 0.0 < clock.now() - began < 0.02


def test_a_machine_that_always_waits_ends_the_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(5.0, set(range(100)))
    monkeypatch.setattr(clock, "monotonic", machine.monotonic)
    monkeypatch.setattr(clock, "waited", machine.waited)
    clock.now()
    assert machine.readings < 50
