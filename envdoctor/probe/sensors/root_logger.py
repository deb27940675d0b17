"""Setup of the root logger. A side effect: who configures it decides for every logger of
the program.
"""

from __future__ import annotations

from typing import Dict

from envdoctor.probe import loaded
from envdoctor.probe.sensors import Context

NAME = "logging"
OF_PROCESS = True


def missing() -> str:
    """It can be told everywhere."""
    return ""


def read(_context: Context) -> Dict[str, str]:
    """{"level", "handlers", "disabled up to": text}; as they are by default where logging
    was not imported.
    """
    logging = loaded.module("logging")
    root, disabled, level = getattr(logging, "root", None), 0, 30
    if root is not None:
        level, disabled = root.level, root.manager.disable
    handlers = ", ".join(type(handler).__name__ for handler in getattr(root, "handlers", ()))
    return {"level": str(level), "handlers": handlers or "none", "disabled up to": str(disabled)}
