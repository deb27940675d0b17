"""Living descendants."""

from __future__ import annotations

from typing import Dict

from envdoctor.probe.sensors import Context
from envdoctor.probe.system import family

NAME = "processes"


def missing() -> str:
    """Return why descendants cannot be listed here, or ""."""
    return family.missing()


def read(context: Context) -> Dict[str, str]:
    """{pid: command line}."""
    return {
        str(process.pid): process.text
        for process in family.family(context.guard)
        if not process.zombie
    }
