"""Calls of instances, and their results: the lines of a recording.

A recording is a file beside the journals: one value of `marshal` a call, so that another process of
the same interpreter can compare. Values are frozen (`probe/comparison/frozen.py`); None is what a
call does not have.
"""

from __future__ import annotations

import marshal
from typing import Any, NamedTuple, Optional, Tuple

Frozen = Tuple[Any, ...]


class Call(NamedTuple):
    """One call of an instance: `name` is "reset" or "step", or what belongs to the end of an
    episode ("final", "begun"); `slot` tells the instances of a manager apart. A reset has the
    `seed` that it was given, a step its `action`.
    """

    name: str
    slot: int = 0
    seed: Optional[int] = None
    action: Optional[Frozen] = None
    observation: Optional[Frozen] = None
    reward: Optional[Frozen] = None
    terminated: Optional[Frozen] = None
    truncated: Optional[Frozen] = None
    info: Optional[Frozen] = None

    def encoded(self) -> bytes:
        """As a recording has it."""
        return marshal.dumps(tuple(self))

    @classmethod
    def decode(cls, value: object) -> Call:
        """The call that a recording holds. Raises ValueError where it holds none."""
        if not isinstance(value, tuple) or len(value) != len(cls._fields):
            raise ValueError("expected %d values of a call" % len(cls._fields))
        call = cls(*value)
        fits = (
            isinstance(call.name, str)
            and isinstance(call.slot, int)
            and (call.seed is None or isinstance(call.seed, int))
            and all(part is None or _is_frozen(part) for part in value[3:])
        )
        if not fits:
            raise ValueError("expected a name, a slot, a seed and frozen values, got %r" % (call,))
        return call


def _is_frozen(value: object) -> bool:
    return isinstance(value, tuple) and bool(value) and isinstance(value[0], str)
