"""Readings of GPU memory: {pid: bytes as text}, or why the driver did not tell; and what workers
hold.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Dict, Mapping, Optional, Tuple

from envdoctor.model.trace import Life, Trace

SENSOR = "gpu-memory"
FACT = "gpu-memory"
NOT_TOLD = "not told"  # the key of the reason


@dataclass(frozen=True)
class WorkerOnGpu:
    """What one worker has `used` on one GPU, and what that GPU has, in bytes."""

    pid: int
    gpu: int
    name: str
    total: int
    free: int
    used: int

    @property
    def fitting(self) -> int:
        """How many such workers the whole memory of that GPU holds."""
        return self.total // max(1, self.used)

    def as_json(self) -> Dict[str, Any]:
        """As the journal has it."""
        return asdict(self)


def workers_on_gpus(played: Trace) -> Optional[Tuple[WorkerOnGpu, ...]]:
    """What each worker had on each GPU after its steps; None where that was not read."""
    told = played.fact(FACT)
    return None if told is None else tuple(WorkerOnGpu(**one) for one in told)


def left_on_gpu(life: Life, point: str) -> Dict[str, int]:
    """{pid: bytes} that processes hold at a point of a life, and did not before it."""
    if not life.has(SENSOR, point):
        return {}
    before, now = life.readings["before"][SENSOR], life.readings[point][SENSOR]
    return rises(before, now)


def rises(before: Mapping[str, str], now: Mapping[str, str]) -> Dict[str, int]:
    """{pid: bytes} that processes hold now, and did not before."""
    found = {
        pid: int(text) - int(before.get(pid, "0")) for pid, text in now.items() if text.isdigit()
    }
    return {pid: more for pid, more in found.items() if more > 0}


def not_told(life: Life) -> str:
    """Why the driver did not say in a life how much memory a process holds, or nothing."""
    for reading in life.readings.values():
        told = reading.get(SENSOR)
        if isinstance(told, Mapping) and NOT_TOLD in told:
            return str(told[NOT_TOLD])
    return ""
