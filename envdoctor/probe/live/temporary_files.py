"""Temporary files and folders that the user's lines make: the doctor sees which of them are there
when the training has ended.
"""

from __future__ import annotations

import os
import sys

from envdoctor.model.page import TEMPORARY
from envdoctor.probe.live.builtins_replaced import followed_builtin

TYPE_CHECKING = False  # the module `typing` would take longer to import than all the rest
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Dict, Optional, Tuple

    from envdoctor.probe.live.boot import Hook
    from envdoctor.probe.ownership import Ownership

    Place = Tuple[str, int, str]

JOURNAL, OWNERSHIP = "envdoctor.probe.journal", "envdoctor.probe.ownership"
FOLDER, FILE = "mkdtemp", "_mkstemp_inner"  # what makes all of them in tempfile
MOST_OF_ALL = 1024  # of a process that are journaled


def take(hook: Hook, tempfile: ModuleType) -> None:
    """Journal what the functions of tempfile make."""
    made = MadeFiles(hook)
    for name, after in ((FOLDER, made.folder), (FILE, made.file)):
        function = getattr(tempfile, name, None)
        if function is not None:
            setattr(tempfile, name, followed_builtin(function, after, tempfile.__name__))


class MadeFiles:
    """The lines of the user's that make temporary files and folders in this process."""

    def __init__(self, hook: Hook) -> None:
        self._hook = hook
        self._numbers: Dict[Place, int] = {}
        self._parts: Optional[Tuple[ModuleType, ModuleType, Ownership]] = None

    def folder(self, path: object) -> None:
        """A folder was made."""
        self._made(path)

    def file(self, opened: object) -> None:
        """A file was made: its descriptor and its path."""
        self._made(opened[1])  # type: ignore[index]

    def _made(self, path: object) -> None:
        """Journal it, with the line that made it. Nothing of ours reaches the user."""
        try:
            journal, owners, ownership = self._parts = self._parts or self._loaded()
            place = owners.own_place(sys._getframe(1), ownership.is_users)
            is_full = sum(self._numbers.values()) >= MOST_OF_ALL
            if place is None or not isinstance(path, str) or is_full:
                return
            self._numbers[place] = self._numbers.get(place, 0) + 1
            if self._numbers[place] <= TEMPORARY:
                keys = {"what": "temporary", "where": os.path.abspath(path)}
                keys["frame"] = owners.frame_of(place)
                self._hook.write(journal.encoded("watched", keys))
        except Exception as error:
            self._hook.complain(type(error).__name__)

    def _loaded(self) -> Tuple[ModuleType, ModuleType, Ownership]:
        """The modules that journal, and that know whose a file is; few processes make any."""
        owners = self._hook.load(OWNERSHIP)
        return self._hook.load(JOURNAL), owners, owners.Ownership()
