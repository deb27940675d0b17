"""How many threads numerical libraries may use. A side effect: the learner beside the
environment wants its own number.
"""

from __future__ import annotations

import os
import sys
from typing import Callable, Dict, Tuple

from envdoctor.probe.sensors import Context

NAME = "thread-settings"

VARIABLES = (
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "BLIS_NUM_THREADS",
)

#: Library, its function that tells, and what a user calls to set it. Asked only where the library
#: was imported.
FUNCTIONS: Tuple[Tuple[str, str], ...] = (
    ("torch", "get_num_threads"),
    ("torch", "get_num_interop_threads"),
    ("cv2", "getNumThreads"),
)

MAX_VALUE = 20  # characters


def missing() -> str:
    """What is loaded can be asked everywhere."""
    return ""


def read(_context: Context) -> Dict[str, str]:
    """{"OMP_NUM_THREADS": value or "not set", "torch.get_num_threads()": number}."""
    found = {name: os.environ.get(name, "not set")[:MAX_VALUE] for name in VARIABLES}
    for library, name in FUNCTIONS:
        ask: object = getattr(sys.modules.get(library), name, None)
        if callable(ask):
            found["%s.%s()" % (library, name)] = _told(ask)
    return found


def _told(ask: Callable[[], object]) -> str:
    try:
        return str(ask())
    except Exception:  # a library that is only half imported
        return "unknown"
