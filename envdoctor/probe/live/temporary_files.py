"""Temporary files and folders that the user's lines make: the doctor sees which of them are there
when the training has ended.
"""

from __future__ import annotations

import functools
import os
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Callable, Counter, Tuple

from envdoctor.probe.journal import encoded
from envdoctor.probe.live.counted import followed_builtin
from envdoctor.probe.ownership import Ownership, frame_of, own_place

if TYPE_CHECKING:
    from envdoctor.probe.live.boot import Hook

FOLDER, FILE = "mkdtemp", "_mkstemp_inner"  # what makes all of them in tempfile
MOST = 256  # of one line that are journaled
MOST_OF_ALL = 1024

Places = Counter[Tuple[str, int, str]]


def take(hook: Hook, tempfile: ModuleType) -> None:
    """Journal what the functions of tempfile make."""
    known: Places = Counter()
    for name, is_folder in ((FOLDER, True), (FILE, False)):
        function = getattr(tempfile, name, None)
        if function is not None:
            after = functools.partial(_made, hook, known, Ownership().is_users, is_folder)
            setattr(tempfile, name, followed_builtin(function, after, tempfile.__name__))


def _made(
    hook: Hook, known: Places, is_users: Callable[[str], bool], is_folder: bool, result: object
) -> None:
    """A function of tempfile has returned. Nothing of ours reaches the user."""
    try:
        path = result if is_folder else result[1]  # type: ignore[index]
        place = own_place(sys._getframe(1), is_users)
        if place is None or not isinstance(path, str) or sum(known.values()) >= MOST_OF_ALL:
            return
        known[place] += 1
        if known[place] <= MOST:
            where = {"what": "temporary", "where": os.path.abspath(path)}
            hook.write(encoded("watched", dict(where, frame=frame_of(place))))
    except Exception as error:
        hook.complain(type(error).__name__)
