"""The content of a folder that others write to: of any depth, and changing meanwhile."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple


class FolderEntry(NamedTuple):
    """A file, or a folder without an entry. `size` is in bytes, None for a folder."""

    path: str
    size: int | None
    owner: int


def below(directory: str | os.PathLike[str]) -> Iterator[FolderEntry]:
    """Files below a directory, and its empty directories; links are not followed. What vanishes
    meanwhile is left out.
    """
    waiting = [os.fspath(directory)]
    while waiting:  # a recursive walk, as that of os.walk() before Python 3.12, has a limit
        folder = waiting.pop()
        try:
            with os.scandir(folder) as scan:
                entries = list(scan)
            owner = os.lstat(folder).st_uid
        except OSError:
            continue
        if not entries and folder != os.fspath(directory):
            yield FolderEntry(folder, None, owner)
        for entry in entries:
            try:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                else:
                    status = entry.stat(follow_symlinks=False)
                    yield FolderEntry(entry.path, status.st_size, status.st_uid)
            except OSError:
                continue
