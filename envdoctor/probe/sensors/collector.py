"""Python's garbage collector: whether it is on, how often it runs, what it leaves out. A side
effect: it collects for the whole program.
"""

from __future__ import annotations

import gc
import sys
from typing import Dict

from envdoctor.probe.ownership import is_ours
from envdoctor.probe.sensors import Context

NAME = "collector"
OF_PROCESS = True

ON, THRESHOLDS, FROZEN = "gc.isenabled()", "gc.get_threshold()", "gc.freeze()"

_freeze = gc.freeze


class _Frozen:
    """The number of times that gc.freeze() was called, but for the probe's own calls. How many
    objects it left out is known only by walking through all of them.
    """

    calls = 0


def _counted() -> None:
    """Freeze all the objects tracked by gc."""
    if not is_ours(sys._getframe(1).f_code.co_filename):
        _Frozen.calls += 1
    _freeze()


gc.freeze = _counted


def missing() -> str:
    """It can be asked everywhere."""
    return ""


def read(_context: Context) -> Dict[str, str]:
    """{"gc.isenabled()": "True", "gc.freeze()": "0 calls", "gc.get_threshold()": "(700, 10,
    10)"}.
    """
    return {
        ON: str(gc.isenabled()),
        THRESHOLDS: str(gc.get_threshold()),
        FROZEN: "%d call%s" % (_Frozen.calls, "" if _Frozen.calls == 1 else "s"),
    }
