"""Forked processes that wait for a lock which a thread of their parent held, while other threads of
the training run on, such as one that shows progress.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.training import Standstill
from envdoctor.model.training_calls import STILL, HeldLock, LostThread
from envdoctor.rules.evidence.training_forks import wait_for_own_locks
from envdoctor.run.supervise.idle_detection import Idleness
from envdoctor.run.supervise.machine import machine
from envdoctor.watch.held_locks import held_before


@dataclass(frozen=True)
class _Stuck:
    """A process that waits for a lock, or for something else, with its stacks."""

    lock: HeldLock | None
    stacks: str


class StuckForks:
    """Looks at forked processes whose parent had threads; each of its processes has a clock."""

    def __init__(self, stacks: Callable[[int], str]) -> None:
        self._stacks = stacks
        self._clocks: dict[int, Idleness] = {}
        self._stuck: dict[int, _Stuck] = {}
        self.standstill: Standstill | None = None

    def look(
        self,
        lost: Mapping[int, tuple[LostThread, ...]],
        running: Collection[int],
        trainer: int,
        seconds: float,
    ) -> None:
        """Look at those that are `running`, of which the threads of their parents were `lost`,
        `seconds` after the training began.
        """
        forked = [pid for pid, threads in lost.items() if threads and pid in running]
        still = {pid: self._still(pid) for pid in forked}
        for pid in [pid for pid in self._stuck if still.get(pid, 0.0) < STILL]:
            del self._stuck[pid]
        for pid in forked:
            if still[pid] >= STILL and pid not in self._stuck:
                self._stuck[pid] = self._look_at(pid, lost[pid])
        held = {pid: each.lock for pid, each in self._stuck.items() if each.lock is not None}
        if not held:
            self.standstill = None
            return
        known = self.standstill
        if known is None or known.stuck != tuple(held):
            texts = (self._stacks(trainer), *(self._stuck[pid].stacks for pid in held))
            known = Standstill(
                0.0,
                machine.blocked([trainer, *held]),
                "\n".join(filter(None, texts)),
                seconds,
                held=tuple(held.values()),
                stuck=tuple(held),
            )
        self.standstill = replace(known, seconds=min(still[pid] for pid in held))

    def _look_at(self, pid: int, lost: tuple[LostThread, ...]) -> _Stuck:
        """Look at a process that stands still: to read its stacks costs it more than a worker that
        waits for orders should pay.
        """
        waits = machine.blocked([pid]) if machine.wait_for_locks(pid) else ()
        if not wait_for_own_locks(waits, pid):
            return _Stuck(None, "")
        text = self._stacks(pid)
        return _Stuck(held_before(pid, text, lost), text)

    def _still(self, pid: int) -> float:
        """For how long a process has not run."""
        clock = self._clocks.get(pid)
        if clock is None:
            clock = self._clocks[pid] = Idleness()
            clock.begin([pid])
        return clock.seconds([pid])
