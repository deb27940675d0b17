"""Generators of numpy's that a script makes of its seed, beside the global ones."""

from __future__ import annotations

import sys

from envdoctor.probe.live.builtins_replaced import preceded_builtin

TYPE_CHECKING = False  # the module `typing` would take longer to import than all the rest
if TYPE_CHECKING:
    from types import FrameType, ModuleType
    from typing import List, Optional

    from envdoctor.probe.live.boot import Hook

JOURNAL, OWNERSHIP = "envdoctor.probe.journal", "envdoctor.probe.ownership"
MAKER, SEED = "default_rng", "seed"
MOST, MOST_FRAMES = 64, 16  # calls of a process, and frames of a call, that are looked at
#: Functions whose generators may be those of an environment.
OF_CLASSES = ("__init__", "reset", "step", "seed", "_reset", "_step", "_seed")


def take(hook: Hook, random: ModuleType) -> None:
    """Notice generators that are made of a number, by the module `numpy.random`."""
    made = SeededGenerators(hook)
    function = getattr(random, MAKER, None)
    if function is not None:
        setattr(random, MAKER, preceded_builtin(function, made.noticed, random.__name__))


class SeededGenerators:
    """The first line of the user's in this process that makes a generator of a number which it
    calls a seed, outside of classes' methods that environments have, too.
    """

    def __init__(self, hook: Hook) -> None:
        self._hook = hook
        self._calls: List[None] = []
        self._is_journaled = False

    def noticed(self, seed: object = None, *_: object) -> None:
        """A generator is made. Nothing of ours reaches the user."""
        try:
            if type(seed) is int and not self._is_journaled and len(self._calls) < MOST:
                self._calls.append(None)
                self._look(sys._getframe(1))
        except Exception as error:
            self._hook.complain(type(error).__name__)

    def _look(self, frame: Optional[FrameType]) -> None:
        owners = self._hook.load(OWNERSHIP)
        place = owners.own_place(frame, owners.Ownership().is_users)
        if place is None or not _names_seed(place[0], place[1]) or _is_of_class(frame):
            return
        self._is_journaled = True
        keys = {"what": "own-seed", "frame": owners.frame_of(place)}
        self._hook.write(self._hook.load(JOURNAL).encoded("watched", keys))


def _names_seed(file: str, line: int) -> bool:
    """Return whether a line has the word: a constant may be any one, for data or a first guess."""
    import linecache

    return SEED in linecache.getline(file, line).lower()


def _is_of_class(frame: Optional[FrameType]) -> bool:
    for _ in range(MOST_FRAMES):
        if frame is None:
            break
        if frame.f_code.co_name in OF_CLASSES:
            return True
        frame = frame.f_back
    return False
