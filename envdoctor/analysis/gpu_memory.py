"""The GPU memory of processes, by the readings of a life."""

from __future__ import annotations

from collections.abc import Mapping

from envdoctor.model.gpu import NOT_READ, SENSOR
from envdoctor.model.trace import Life


def left_on_gpu(life: Life, point: str) -> dict[str, int]:
    """{pid: bytes} that processes hold at a point of a life, and did not before it."""
    if not life.has(SENSOR, point):
        return {}
    return rises(life.by_key(SENSOR, "before"), life.by_key(SENSOR, point))


def rises(before: Mapping[str, str], now: Mapping[str, str]) -> dict[str, int]:
    """{pid: bytes} that processes hold now, and did not before."""
    result = {
        pid: int(text) - int(before.get(pid, "0")) for pid, text in now.items() if text.isdigit()
    }
    return {pid: more for pid, more in result.items() if more > 0}


def reason_unread(life: Life) -> str:
    """Return the reason why the driver did not report GPU memory in a life, or nothing."""
    for reading in life.readings.values():
        values = reading.get(SENSOR)
        if isinstance(values, Mapping) and NOT_READ in values:
            return str(values[NOT_READ])
    return ""
