"""The text of files below /proc; empty where they are gone, or not ours to read."""

from __future__ import annotations

import os

#: Not every kernel is built with it.
LISTS_CHILDREN = os.path.exists("/proc/thread-self/children")


def read(path: str) -> str:
    """The text of a file; empty where it cannot be read."""
    try:
        with open(path, "rb", buffering=0) as file:
            return file.read().decode(errors="replace")
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


def descendants(root: int) -> list[int]:
    """The processes below one, zombies too, in order of their numbers. Each of its threads lists
    its children: to read the parents of all processes of a machine takes thirty times as long.
    """
    waiting = [root]
    for pid in waiting:  # grows while it is walked
        folder = f"/proc/{pid}/task"
        for thread in names(folder):
            waiting += map(int, read(f"{folder}/{thread}/children").split())
    return sorted(set(waiting[1:]))  # what loses its parent meanwhile may be read twice
