"""Draws of constructors from the random generators of a forked worker: it begins with the state of
its parent, as the workers beside it do. No code of the user's runs for it.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Dict, Mapping, Optional, Protocol, Tuple

from envdoctor.model.page import FIRST, MAKE, NUMPY, PYTHON, SOURCES, WIDTH
from envdoctor.probe import loaded
from envdoctor.probe.generators import digest_of
from envdoctor.probe.live.draws import drawing_lines
from envdoctor.probe.live.settings import Journaled
from envdoctor.probe.live.steps import look_before_reset
from envdoctor.probe.ownership import frame_of

if TYPE_CHECKING:
    from envdoctor.probe.live.counted import Rows

MADE, STEPS = "make", "step"  # among the methods that count
FORK, RESULT, CONSTRUCTOR = "fork", "result", "__init__"
SELF, FIND = "self", "find"  # variables of what counts a call
MOST = 4  # constructors of a process that are looked at
WORDS, BITS, VERSION = 624, 32, 3  # of a Mersenne Twister; version of its state in Python
REFILLS = 64  # of its words: what a constructor draws at most where it is followed
#: Of a state of numpy's: what it is of, and the words of it, and the place in them.
KIND, STATE, PARTS, TWISTER = "bit_generator", "state", ("key", "pos"), "MT19937"

Words = Tuple[int, ...]  # the state of a Mersenne Twister, and the place in it
_looked: Dict[int, int] = {}  # constructors, by process


class Making(Journaled, Protocol):
    """Instances of a process that are made."""


class CountsRows(Protocol):
    """A method that counts its calls."""

    rows: Rows


class WatchedConstructor(int):
    """The place where a constructor that is looked at is counted: see WatchedPlace."""

    instances: Making
    before: Dict[int, Words]

    def __add__(self, other: int) -> int:
        try:
            _look(self, sys._getframe(1).f_locals)
        except Exception:  # nothing of ours reaches the user
            return int(self) + other
        return int(self) + other


def look_at_constructor(
    instances: Making, start: int, key: int, methods: Mapping[str, CountsRows]
) -> None:
    """Look at the constructor of an instance that has a row of its own, in a forked worker; and at
    its steps until its reset().
    """
    look_before_reset(instances, start, key, getattr(methods.get(STEPS), "rows", None))
    method = methods.get(MADE)
    looked = _looked.get(os.getpid(), 0)
    if instances.hook.started != FORK or looked >= MOST or method is None:
        return
    _looked[os.getpid()] = looked + 1
    place = WatchedConstructor(start + MAKE)
    place.instances, place.before = instances, _states()
    method.rows[key] = place


def _look(place: WatchedConstructor, values: Mapping[str, object]) -> None:
    """A constructor has returned, or raised: journal what it has drawn from."""
    instance, instances = values[SELF], place.instances
    values[FIND].__self__[id(instance)] = int(place)  # type: ignore[attr-defined]
    after = _states() if RESULT in values else {}
    row = (int(place) - MAKE) // WIDTH - FIRST + 1
    for source, before in place.before.items():
        if has_drawn(before, after.get(source)):
            lines = list(drawing_lines(type(instance), source, (CONSTRUCTOR,)))
            own = [line for line in lines if line[2].endswith(CONSTRUCTOR)] or lines
            frame = frame_of(own[0]) if own else None
            keys = {"page": instances.name, "row": row, "number": digest_of(before)}
            instances.tell("constructed", message=SOURCES[source], frame=frame, **keys)


def _states() -> Dict[int, Words]:
    """The states of the generators of the process, as far as they are Mersenne Twisters."""
    states: Dict[int, Words] = {}
    own, numpy = loaded.module("random"), loaded.module("numpy.random")
    if own is not None:
        states[PYTHON] = own.getstate()[1]
    state = numpy.get_state(legacy=False) if numpy is not None else {}
    if state.get(KIND) == TWISTER:
        words, place = (state[STATE][part] for part in PARTS)
        states[NUMPY] = (*words.tolist(), int(place))
    return states


def has_drawn(before: Words, after: Optional[Words]) -> bool:
    """Return whether a generator came from one state to another by draws alone: nothing has seeded
    it meanwhile.
    """
    random = loaded.module("random")
    if after is None or random is None or before == after:
        return False
    if before[:WORDS] == after[:WORDS]:
        return before[WORDS] < after[WORDS]
    generator = random.Random(0)
    generator.setstate((VERSION, before, None))
    if before[WORDS] < WORDS:
        generator.getrandbits(BITS * (WORDS - before[WORDS]))
    for _ in range(REFILLS):
        generator.getrandbits(BITS)
        if generator.getstate()[1][:WORDS] == after[:WORDS]:
            return True
        generator.getrandbits(BITS * (WORDS - 1))
    return False
