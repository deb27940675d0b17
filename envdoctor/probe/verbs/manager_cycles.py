"""Cycles under a manager: whole launches of it, or resets of what it hosts."""

from __future__ import annotations

from array import array
from typing import Callable, Dict, List, Optional

from envdoctor.probe.adapters import Host
from envdoctor.probe.growth.cycles import (
    CREATES,
    RENDERS,
    RESETS,
    STEPS,
    Cycles,
    Size,
    seed_everything,
)
from envdoctor.probe.heartbeat import beat


class LaunchedCycles(Cycles):
    """A whole manager each cycle: launched, reset, stepped, closed, let go."""

    def __init__(self, launch: Callable[[], Host], seed: int) -> None:
        super().__init__()
        self.launch = launch
        self.seed = seed

    def run(self, size: Size) -> None:
        """One launch."""
        seed_everything(self.seed)
        host = self.launch()
        self.tally[CREATES] += 1
        for index in range(size.resets):
            _drive(host, None if index else self.seed, size, self.tally)
        host.close()


class HostedCycles(Cycles):
    """Resets and steps of instances that are there already; a cycle is one reset of all."""

    def __init__(self, host: Host, seed: int) -> None:
        super().__init__()
        self.host = host
        self.seed = seed

    def run(self, size: Size) -> None:
        """One reset, with its steps."""
        _drive(self.host, self.seed, size, self.tally)

    def read_workers(self) -> List[Dict[str, object]]:
        """Read what the manager's workers hold."""
        return self.host.read_workers()


def _drive(host: Host, seed: Optional[int], size: Size, tally: "array[int]") -> None:
    host.reset(seed)
    beat()
    tally[RESETS] += 1
    for _ in range(size.steps):
        host.step()
        beat()
        tally[STEPS] += 1
    for _ in range(size.renders):
        host.render()
        tally[RENDERS] += 1
