"""What constructors draw from the random generators of a forked worker: it begins with the state of
its parent, as the workers beside it do. No code of the user's runs for it.
"""

from __future__ import annotations

import os
import sys
from typing import Any, Dict, List, Optional, Tuple

from envdoctor.model.page import FIRST, MAKE, NUMPY, SOURCES, WIDTH
from envdoctor.probe import loaded
from envdoctor.probe.generators import digest_of
from envdoctor.probe.live.draws import PYTHON, drawing_lines

FORK, RESULT, CONSTRUCTOR = "fork", "result", "__init__"
MOST = 4  # constructors of a process that are looked at
WORDS, BITS, VERSION = 624, 32, 3  # of a Mersenne Twister; version of its state in Python
REFILLS = 64  # of its words: what a constructor draws at most where it is followed
TWISTER = "MT19937"

Words = Tuple[int, ...]  # the state of a Mersenne Twister, and the place in it
_looked: Dict[int, int] = {}  # constructors, by process


class WatchedConstructor(int):
    """The place where a constructor that is looked at is counted: see WatchedPlace."""

    instances: Any  # what follows it
    before: Dict[int, Words]

    def __add__(self, other: int) -> int:
        try:
            _look(self, sys._getframe(1).f_locals)
        except Exception:  # nothing of ours reaches the user
            return int(self) + other
        return int(self) + other


def look_at_constructor(instances: Any, start: int, key: int, wrapper: Any) -> None:
    """Look at the constructor of an instance that has a row of its own, in a forked worker."""
    looked = _looked.get(os.getpid(), 0)
    if instances.hook.started != FORK or looked >= MOST or wrapper is None:
        return
    _looked[os.getpid()] = looked + 1
    place = WatchedConstructor(start + MAKE)
    place.instances, place.before = instances, _states()
    wrapper.rows[key] = place


def _look(place: WatchedConstructor, values: Dict[str, Any]) -> None:
    """A constructor has returned, or raised: journal what it has drawn from."""
    start = int(place) - MAKE
    instance = values["self"]
    values["find"].__self__[id(instance)] = int(place)
    after = _states()
    for source, before in place.before.items():
        if RESULT not in values or not has_drawn(before, after.get(source)):
            continue
        lines = list(drawing_lines(type(instance), source))
        own = [line for line in lines if line[2].endswith(CONSTRUCTOR)] or lines
        frame = dict(zip(("file", "line", "function"), own[0])) if own else None
        keys = {"page": place.instances.name, "row": start // WIDTH - FIRST + 1}
        number = digest_of(before)
        place.instances.tell(
            "constructed", message=SOURCES[source], frame=frame, number=number, **keys
        )


def _states() -> Dict[int, Words]:
    """The states of the generators of the process, as far as they are Mersenne Twisters."""
    states: Dict[int, Words] = {}
    own, numpy = loaded.module("random"), loaded.module("numpy.random")
    if own is not None:
        states[PYTHON] = own.getstate()[1]
    state = numpy.get_state(legacy=False) if numpy is not None else {}
    if state.get("bit_generator") == TWISTER:
        words: List[int] = state["state"]["key"].tolist()
        states[NUMPY] = (*words, int(state["state"]["pos"]))
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
