"""The settings of libraries for the whole process: how many threads they use, where plots are
drawn, what a number is, which errors are raised. A side effect: the learner beside the environment
wants settings of its own.
"""

from __future__ import annotations

import os
from typing import Any, Callable, Dict, Tuple

from envdoctor.probe import loaded
from envdoctor.probe.sensors import Context

NAME = "thread-settings"
OF_PROCESS = True
APPEARS = True

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

#: Library, what a user reads, and what that gives before it is set: known where the subject is
#: the first to import the library, too.
SETTINGS: Tuple[Tuple[str, str, str], ...] = (
    ("torch", "get_default_dtype", "torch.float32"),
    ("torch", "get_default_device", "cpu"),
    ("torch", "is_grad_enabled", "True"),
    ("torch", "are_deterministic_algorithms_enabled", "False"),
    ("numpy", "geterr", "divide=warn, over=warn, under=ignore, invalid=warn"),
)

MAX_VALUE = 60  # characters

BACKEND, UNCHOSEN = "matplotlib.get_backend()", "automatic"


def missing() -> str:
    """Libraries that are loaded can be asked everywhere."""
    return ""


def read(_context: Context) -> Dict[str, str]:
    """{"OMP_NUM_THREADS": value or "not set", "torch.get_num_threads()": number}."""
    settings = {name: os.environ.get(name, "not set")[:MAX_VALUE] for name in VARIABLES}
    for library, name in FUNCTIONS:
        ask: object = getattr(loaded.module(library), name, None)
        if callable(ask):
            settings["%s.%s()" % (library, name)] = _text_of(ask)
    for library, name, unset in SETTINGS:
        ask = getattr(loaded.module(library), name, None)
        settings["%s.%s()" % (library, name)] = _text_of(ask) if callable(ask) else unset
    settings[BACKEND] = _backend()
    return settings


def _text_of(ask: Callable[[], object]) -> str:
    try:
        value = ask()
    except Exception:  # a library that is only half imported
        return "unknown"
    if isinstance(value, dict):
        return ", ".join("%s=%s" % item for item in value.items())
    return str(value)


def _backend() -> str:
    """The backend that was chosen for plots, by MPLBACKEND or a call. To ask for it would choose
    one. One that matplotlib found by itself, or in the user's file, is not chosen by the subject.
    """
    matplotlib = loaded.module("matplotlib")
    settings: Any = getattr(matplotlib, "rcParams", None)
    chosen = os.getenv("MPLBACKEND", "").lower() or UNCHOSEN
    if not hasattr(settings, "_get_backend_or_none"):  # before 3.4, what it found looks chosen
        return chosen
    now = dict.get(settings, "backend")
    first = dict.get(getattr(matplotlib, "rcParamsOrig", {}), "backend")
    return now.lower() if isinstance(now, str) and now != first else chosen
