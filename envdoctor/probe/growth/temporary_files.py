"""The number of temporary files, without their sizes: it is read after each cycle of a leak check,
and an environment that leaves one at each reset soon has thousands.
"""

from __future__ import annotations

import os
from typing import Iterator

from envdoctor.probe.sensors import Context
from envdoctor.probe.sensors.files import MAX_FILES
from envdoctor.probe.system import infrastructure


def count(context: Context) -> int:
    """Return the number of what `sensors.files` lists."""
    number, spared, waiting = 0, infrastructure.paths(), [context.tmp]
    for folder in waiting:  # grows while it is walked
        is_empty = True
        for entry in _entries(folder):
            is_empty = False
            if number >= MAX_FILES:
                return number
            if _is_folder(entry):
                waiting.append(entry.path)
            elif not spared or os.path.realpath(entry.path) not in spared:
                number += 1
        if is_empty and folder != context.tmp and os.path.realpath(folder) not in spared:
            number += 1
    return number


def _entries(folder: str) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            yield from entries
    except OSError:
        return


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False
