"""Memory that each worker process holds, with all that it started: read from outside, in the
kernel's own count.
"""

from __future__ import annotations

import re
from typing import Dict, Iterable, List, Tuple

from envdoctor.probe.system import family, kernel

_FIELDS = {"Rss": "rss", "Pss": "pss", "Private_Clean": "uss", "Private_Dirty": "uss"}


def read(pids: Iterable[int]) -> List[Dict[str, object]]:
    """[{pid, uss, pss, rss}] in bytes, for the workers of which the kernel tells. `uss` is what
    would come back if that worker ended, `pss` counts what is shared by its share.
    """
    return [dict(total, pid=pid) for pid in pids for total in [_total(pid)] if total]


def _total(pid: int) -> Dict[str, int]:
    total: Dict[str, int] = {}
    for each in [pid, *family.below(pid)]:
        for name, value in _held(each):
            total[name] = total.get(name, 0) + value
    return total


def _held(pid: int) -> Iterable[Tuple[str, int]]:
    text = kernel.read("/proc/%d/smaps_rollup" % pid)
    return [
        (_FIELDS[name], int(number) * 1024)
        for name, number in re.findall(r"^(\w+): +(\d+) kB", text, re.MULTILINE)
        if name in _FIELDS
    ]
