"""The working directory. A side effect: relative paths of the whole program hang on it."""

from __future__ import annotations

import os
from typing import Dict

from envdoctor.probe.sensors import Context

NAME = "directory"
OF_PROCESS = True


def missing() -> str:
    """It can be told everywhere."""
    return ""


def read(_context: Context) -> Dict[str, str]:
    """{"directory": path}; "gone" where it was deleted."""
    try:
        return {"directory": os.getcwd()}
    except FileNotFoundError:
        return {"directory": "gone"}
