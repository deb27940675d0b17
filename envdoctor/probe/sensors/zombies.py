"""Descendants that ended and were not waited for."""

from __future__ import annotations

from typing import Dict

from envdoctor.probe.sensors import Context
from envdoctor.probe.system import family

NAME = "zombies"


def missing() -> str:
    """Return why descendants cannot be listed here, or ""."""
    return family.missing()


def read(context: Context) -> Dict[str, str]:
    """{pid: name}."""
    return {
        str(process.pid): process.name for process in family.family(context.guard) if process.zombie
    }
