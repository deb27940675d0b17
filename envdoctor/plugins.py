"""Plug-ins of other packages: their entry points in the groups envdoctor.managers, .frameworks,
.sensors, .rules, .reporters and .exporters, each of them a module.

The doctor asks for its own interpreter and the probe for the target's, so this file travels with
the probe. The metadata is read by hand: to import importlib.metadata takes longer than all the
rest, and plug-ins are rare.
"""

from __future__ import annotations

import os
import sys
from functools import lru_cache
from typing import Dict, Iterator, Tuple

PREFIX = "envdoctor."


@lru_cache(maxsize=None)
def plugins(kind: str) -> Dict[str, str]:
    """{name: module} of the plug-ins of a kind: "managers", "frameworks", "sensors", "rules",
    "reporters" or "exporters". The first one of a name counts.
    """
    result: Dict[str, str] = {}
    for group, name, module in _declared():
        if group == PREFIX + kind:
            result.setdefault(name, module)
    return result


@lru_cache(maxsize=None)
def _declared() -> Tuple[Tuple[str, str, str], ...]:
    return tuple(entry for text in _texts() if "[" + PREFIX in text for entry in entries(text))


def _texts() -> Iterator[str]:
    """Yield the entry points of every installed package, as text."""
    for folder in dict.fromkeys(sys.path):
        try:
            names = sorted(
                name for name in os.listdir(folder or ".") if name.endswith(".dist-info")
            )
        except OSError:  # a zip, or not there
            continue
        for name in names:
            try:
                with open(
                    os.path.join(folder, name, "entry_points.txt"),
                    encoding="utf-8",
                    errors="replace",
                ) as file:
                    yield file.read()
            except OSError:  # most have none
                continue


def entries(text: str) -> Iterator[Tuple[str, str, str]]:
    """(group, name, module) of each line of an entry_points.txt; what follows the module's name
    is not ours.
    """
    group = ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("[") and line.endswith("]"):
            group = line[1:-1].strip()
        elif "=" in line and not line.startswith(("#", ";")):
            name, _, value = line.partition("=")
            yield group, name.strip(), value.partition(":")[0].partition("[")[0].strip()
