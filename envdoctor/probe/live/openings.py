"""The user's lines that open files for writing: the doctor sees from outside which of these files
are written through several openings.
"""

from __future__ import annotations

import functools
import os
import sys
from typing import TYPE_CHECKING, Callable, Set, Tuple

from envdoctor.probe import loaded
from envdoctor.probe.journal import encoded
from envdoctor.probe.live.builtins_replaced import preceded_builtin
from envdoctor.probe.ownership import Ownership, frame_of, own_place

if TYPE_CHECKING:
    from envdoctor.probe.live.boot import Hook

READING = ("r", "rb", "rt")
MOST = 256  # lines and files of a process that are journaled
MODULES = ("io", "builtins")  # which have the same function


def follow(hook: Hook) -> None:
    """Journal the line of each open() that writes and is not to write at the end."""
    original = loaded.own(loaded.module("io"), "open")
    known: Set[Tuple[str, Tuple[str, int, str]]] = set()
    is_users = Ownership().is_users
    before = functools.partial(_opening, hook, known, is_users)
    call = preceded_builtin(original, before, MODULES[0])
    for name in MODULES:
        module = loaded.module(name)
        if loaded.own(module, "open") is original:
            module.open = call


def _opening(
    hook: Hook,
    known: Set[Tuple[str, Tuple[str, int, str]]],
    is_users: Callable[[str], bool],
    file: object,
    mode: object = "r",
    *_: object,
    **_named: object,
) -> None:
    """A file is about to be opened. Nothing of ours reaches the user."""
    try:
        if mode in READING or len(known) >= MOST:  # most read: they cost no more than this
            return
        if type(mode) is not str or not _writes(mode) or not isinstance(file, (str, os.PathLike)):
            return
        place = own_place(sys._getframe(1), is_users)
        if place is None:
            return
        key = os.path.realpath(str(os.fspath(file))), place
        if key not in known:
            known.add(key)
            keys = {"what": "opens", "where": key[0], "frame": frame_of(place)}
            hook.write(encoded("watched", keys))
    except Exception as error:
        hook.complain(type(error).__name__)


def _writes(mode: str) -> bool:
    return ("w" in mode or "x" in mode) and "+" not in mode
