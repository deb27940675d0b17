"""Calls that seed Python's own generator of random numbers: its state does not show them."""

from __future__ import annotations

from envdoctor.probe.live.builtins_replaced import preceded_builtin

TYPE_CHECKING = False  # the module `typing` would take longer to import than all the rest
if TYPE_CHECKING:
    from types import ModuleType
    from typing import List, Optional

    from envdoctor.probe.live.boot import Hook

#: Whether a seed was given in this process, or in one that forked it; empty while that is unknown.
_seeded: List[bool] = []


def take(_hook: Hook, random: ModuleType) -> None:
    """Notice seeds of the module `random`, which is being imported: one that was there before may
    have been given a seed.
    """
    if not getattr(random.__spec__, "_initializing", False):
        return
    _seeded[:] = [False]
    for name, noticed in (("seed", _seeding), ("setstate", _setting)):
        function = preceded_builtin(getattr(random, name), noticed, random.__name__)
        function.__qualname__ = name  # type: ignore[attr-defined]
        setattr(random, name, function)


def was_seeded() -> Optional[bool]:
    """Return whether it was given a seed in this process, or before it was forked; None where that
    is not known.
    """
    return _seeded[0] if _seeded else None


def _seeding(a: object = None, *_: object, **_named: object) -> None:
    if a is not None:  # of nothing, the operating system seeds it
        _seeded[:] = [True]


def _setting(*_: object, **_named: object) -> None:
    """A state is set: it may be that which was there before."""
    if _seeded != [True]:
        _seeded.clear()
