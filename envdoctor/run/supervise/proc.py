"""The text of files below /proc; empty where they are gone, or not ours to read."""

from __future__ import annotations

import os


def read(path: str) -> str:
    """The text of a file; empty where it cannot be read."""
    try:
        with open(path, errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def names(folder: str) -> list[str]:
    """The names in a folder; none where it cannot be read."""
    try:
        return os.listdir(folder)
    except OSError:
        return []


def target(link: str) -> str:
    """The target of a link; empty where it cannot be read."""
    try:
        return os.readlink(link)
    except OSError:
        return ""
