"""Aims of remedies for calls and copies that fail, or around which an error is caught; for caches,
and for observations that stay.
"""

from __future__ import annotations

from envdoctor.model.errors import Frame
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.remedy import Aim, AimAtError, AimAtLine, PlainAim


class ShareOut(AimAtError):
    """Share out the elements of a list among more workers than it has: the line of this error takes
    one by a number that workers differ in.
    """


class EndFailed(AimAtLine):
    """End what is left where an error is caught around this line."""


class TakeSpaces(PlainAim):
    """Declare the spaces of a wrapped environment as its wrappers have them."""


class KeepArguments(AimAtLine):
    """Let EzPickle keep what the environment's own constructor takes, in place of what it hands to
    the base class, which calls EzPickle.__init__() in this line.
    """


@dataclass(frozen=True)
class MakeAnew(Aim):
    """Let __reduce__() of the class `owner`, in this line, give what is taken, and no more."""

    owner: str
    place: Frame


class RaiseEnd(AimAtLine):
    """Let the wait in this line raise, in place of waiting for ever, where the process or the
    thread that it waits for has ended by an error.
    """


@dataclass(frozen=True)
class BoundCache(Aim):
    """Give the cache of a function a bound: that at the end of this chain."""

    chain: str


class ReadLast(PlainAim):
    """Let step() read its observation where the state is after the step."""


@dataclass(frozen=True)
class TakeArguments(Aim):
    """Let reset() take the keyword arguments `seed` and `options`; that of the class `owner` where
    it is not the environment's own.
    """

    owner: str = ""
