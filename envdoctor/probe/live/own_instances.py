"""Instances of classes that have no base class of a framework, noticed in their constructor: a
pickle of such a class by value has its own constructor, and would keep a `__new__` of ours.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Dict, Sequence, Tuple

from envdoctor.probe.live.counted import is_noticing, noticing
from envdoctor.probe.live.instances import WatchedInstances, watched_instances
from envdoctor.probe.live.rows import MAKE

if TYPE_CHECKING:
    from envdoctor.probe.live.boot import Hook

MOST = 16  # parts of an argument that are looked at
METHODS = {"reset": "reset", "step": "step", "close": "close"}


def follow(hook: Hook, cls: type, rank: int) -> None:
    """Follow new instances of a class. `rank` says how it was recognised."""
    owner = next(each for each in cls.__mro__ if MAKE in vars(each))
    constructor = vars(owner)[MAKE]
    if not is_noticing(constructor):
        before = functools.partial(_making, watched_instances(hook), rank)
        type.__setattr__(owner, MAKE, noticing(constructor, before))


def _making(
    instances: WatchedInstances,
    rank: int,
    instance: object,
    args: Tuple[object, ...],
    named: Dict[str, object],
) -> None:
    """A constructor is called: what takes instances is a wrapper or a vectorizer. Nothing of ours
    reaches the user.
    """
    try:
        parts = [part for value in (*args, *named.values()) for part in _parts(value)]
        if not any(map(instances.follows, parts)):
            kind = type(instance)
            instances.created(kind, instance, METHODS, object, args, named, rank)
    except Exception as error:
        instances.hook.complain(type(error).__name__)


def _parts(value: object) -> Sequence[object]:
    """An argument, or the first parts of a list: it may be a long one of data."""
    return value[:MOST] if isinstance(value, (list, tuple)) else (value,)
