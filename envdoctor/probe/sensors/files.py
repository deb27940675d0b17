"""Temporary files: all that lies in the probe's own TMPDIR."""

from __future__ import annotations

import os
from typing import Dict, List

from envdoctor.probe.sensors import Context
from envdoctor.probe.system import infrastructure

NAME = "files"

MAX_FILES = 10_000  # listed at most: some environments unpack a game's assets


def missing() -> str:
    """Folders can be listed everywhere."""
    return ""


def read(context: Context) -> Dict[str, str]:
    """{path below TMPDIR: size}; folders only where they are empty."""
    sizes: Dict[str, str] = {}
    spared = infrastructure.paths()
    waiting = [context.tmp]
    for folder in waiting:  # grows while it is walked
        entries = _entries(folder)
        if not entries and folder != context.tmp and os.path.realpath(folder) not in spared:
            sizes[os.path.relpath(folder, context.tmp) + os.sep] = "empty folder"
        for entry in entries:
            if len(sizes) >= MAX_FILES:
                return sizes
            if _is_folder(entry):
                waiting.append(entry.path)
            elif not spared or os.path.realpath(entry.path) not in spared:
                sizes[os.path.relpath(entry.path, context.tmp)] = _size(entry)
    return sizes


def _entries(folder: str) -> List[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _size(entry: os.DirEntry[str]) -> str:
    try:
        return "%d bytes" % entry.stat(follow_symlinks=False).st_size
    except OSError:
        return "gone"
