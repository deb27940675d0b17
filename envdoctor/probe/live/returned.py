"""Arrays that step() of the user's returns: whether those of earlier steps are still held and lie
in the memory of the last one, and whether two values of one step are one array. No code of the
user's runs for it.
"""

from __future__ import annotations

import itertools
import os
import sys
import types
import weakref
import zlib
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Protocol, Set, Tuple

from envdoctor.probe.live.counted import is_counted, returning
from envdoctor.probe.ownership import Ownership, frame_of

STEP, SELF = "step", "self"
STEPS = 16  # calls of one object that are looked at together
WINDOWS = (0, 64, 1024)  # how many calls come before each of these looks: a buffer may fill later
ITEMS, DEPTH, BYTES = 16, 3, 1 << 20  # of an observation that is looked at
LEAST = 8  # arrays of earlier steps that are held: a stack of frames has fewer
OBJECTS = 64  # that are looked at in a process
MOST_FRAMES = 16
NOT_PLAIN = 0x20 | 0x80 | 0x200  # flags of generators and coroutines
ARRAY, DATA = ("numpy", "ndarray"), "data"

Place = Optional[Tuple[str, int, str]]
Array = Any  # one of numpy's, which may not be there


class Followed(Protocol):
    """Instances of a process."""

    def follows(self, obj: object) -> bool:
        """Return whether an object is an instance that is followed."""

    def wraps(self, kind: type) -> bool:
        """Return whether a class is one that wraps environments."""


class _Returned(NamedTuple):
    """An array as it was returned: how many referred to it, and a digest of its values."""

    reference: Callable[[], Array]
    references: int
    digest: int


class _Results:
    """Results of the last calls of step() of one object: the arrays of its observations, by their
    places, and the places of values that were one array in each of these calls.
    """

    __slots__ = ("arrays", "calls", "object", "pairs")

    def __init__(self, watched: object) -> None:
        self.object, self.calls = weakref.ref(watched), 0
        self.forget()

    def forget(self) -> None:
        self.arrays: Dict[int, List[_Returned]] = {}
        self.pairs: Optional[Set[Tuple[int, int]]] = None

    def add(self, returned: object) -> bool:
        """Take in what a call returned. Return whether a look is complete."""
        if self.calls > WINDOWS[-1] + STEPS:
            return False
        at = next((self.calls - first for first in WINDOWS if 0 <= self.calls - first < STEPS), -1)
        self.calls += 1
        if at < 0 or type(returned) is not tuple:
            return False
        for place, array in enumerate(itertools.islice(_arrays(returned[0], DEPTH), ITEMS)):
            known = _Returned(weakref.ref(array), sys.getrefcount(array), _digest(array))
            self.arrays.setdefault(place, []).append(known)
        pairs = set(_pairs(returned))
        self.pairs = pairs if self.pairs is None else self.pairs & pairs
        return at == STEPS - 1

    def overwritten(self) -> Tuple[int, int]:
        """Return of how many earlier calls the arrays are held that lie in the memory of the last
        one, with other values than they had, and where that memory is.
        """
        return max(map(_held, self.arrays.values()), default=(0, 0))


class WatchedResults:
    """Results of the calls of step() of a process. `where` is the user's line that runs now, `tell`
    journals.
    """

    def __init__(
        self, where: Callable[[], Place], tell: Callable[..., None], complain: Callable[[str], None]
    ) -> None:
        self._where, self._tell, self._complain = where, tell, complain
        self._results: Dict[int, _Results] = {}
        self._kinds: Set[type] = set()
        self._journaled: Set[Tuple[int, str, str]] = set()
        self._memory: Set[Tuple[int, int]] = set()  # that is overwritten, by process

    def look(
        self, watched: Followed, instance: object, returned: object, frame: types.FrameType
    ) -> None:
        """A step() of an instance returned something, in a `frame`."""
        is_new = id(instance) not in self._results
        self._take(instance, returned)
        if is_new:
            outer = _outer(watched, instance, frame)
            if outer is not None:
                self.follow(type(outer))

    def follow(self, kind: type) -> None:
        """Have the results of step() of a class of the user's seen."""
        owner = next((each for each in kind.__mro__ if STEP in vars(each)), None)
        method = vars(owner)[STEP] if owner is not None else None
        if owner is None or owner in self._kinds:
            return
        code = method.__code__ if isinstance(method, types.FunctionType) else None
        if is_counted(method) or (code is not None and not code.co_flags & NOT_PLAIN):
            self._kinds.add(owner)
            type.__setattr__(owner, STEP, returning(method, self._returned))

    def _returned(self, outer: object, returned: object) -> None:
        """A step() of an object of the user's came back. Nothing of ours reaches the user."""
        try:
            self._take(outer, returned)
        except Exception as error:
            self._complain(type(error).__name__)

    def _take(self, watched: object, returned: object) -> None:
        known = self._results.get(id(watched))
        if known is None or known.object() is not watched:
            if len(self._results) >= OBJECTS or not type(watched).__weakrefoffset__:
                return
            known = self._results[id(watched)] = _Results(watched)
        if known.add(returned):
            self._judge(type(watched), known)
            known.forget()

    def _judge(self, kind: type, known: _Results) -> None:
        """A look is complete. A vectorizer may hand on the array that its environment overwrites:
        only the first of them is journaled.
        """
        held, address = known.overwritten()
        if held >= LEAST and (os.getpid(), address) not in self._memory:
            self._memory.add((os.getpid(), address))
            self._tell_once("overwritten", kind, self._where(), number=held)
        defined = definition(kind) if known.pairs else None
        for pair in sorted(known.pairs or ()):
            self._tell_once("aliased-array", kind, defined, workers=pair)

    def _tell_once(self, what: str, kind: type, place: Place, **keys: object) -> None:
        name = "%s.%s" % (kind.__module__, kind.__qualname__)
        key = (os.getpid(), what, name)
        if place is not None and key not in self._journaled:
            self._journaled.add(key)
            self._tell(what, type=name, frame=frame_of(place), **keys)


def _outer(
    watched: Followed, instance: object, frame: Optional[types.FrameType]
) -> Optional[object]:
    """The object of the user's whose step() calls that of an instance, and which is not an
    environment itself, or a wrapper of a framework; None where there is none.
    """
    is_users = Ownership().is_users
    for _ in range(MOST_FRAMES):
        frame = frame.f_back if frame is not None else None
        if frame is None:
            return None
        code = frame.f_code
        if code.co_name != STEP or code.co_varnames[:1] != (SELF,):
            continue
        owner: object = frame.f_locals.get(SELF)
        is_other = owner is not instance and not watched.follows(owner)
        if is_other and is_users(code.co_filename) and not watched.wraps(type(owner)):
            return owner
    return None


def definition(kind: type) -> Place:
    """The place of the user's step() of a class, behind ours."""
    method = next(vars(each)[STEP] for each in kind.__mro__ if STEP in vars(each))
    while is_counted(method):
        method = method.__wrapped__
    if type(method) is not types.FunctionType:
        return None
    code = method.__code__
    return code.co_filename, code.co_firstlineno, code.co_name


def is_array(value: object) -> bool:
    """Return whether a value is an array of numpy's own class."""
    return (type(value).__module__, type(value).__name__) == ARRAY


def _arrays(value: Array, depth: int) -> Iterator[Array]:
    """The arrays of an observation, each with its values in it."""
    if is_array(value):
        if not value.dtype.hasobject:
            if 0 < value.nbytes <= BYTES:
                yield value
        elif depth and value.size <= ITEMS:
            yield from _arrays(value.ravel().tolist(), depth - 1)
    elif type(value) in (tuple, list, dict) and depth and len(value) <= ITEMS:
        for each in value.values() if type(value) is dict else value:
            yield from _arrays(each, depth - 1)


def _address(array: Array) -> int:
    return int(array.__array_interface__[DATA][0])


def _digest(array: Array) -> int:
    return zlib.crc32(array.tobytes())


def _pairs(returned: Tuple[Array, ...]) -> Iterator[Tuple[int, int]]:
    """The places of values that are one array."""
    arrays = [
        (place, _address(value), value.nbytes)
        for place, value in enumerate(returned)
        if is_array(value) and value.nbytes
    ]
    for (place, *memory), (other, *other_memory) in itertools.combinations(arrays, 2):
        if memory == other_memory:
            yield place, other


def _held(known: List[_Returned]) -> Tuple[int, int]:
    """Return of how many earlier calls the arrays of one place are held, in the memory of the last
    one, with other values than they had, and where that is. One that is returned each time is held
    as often as more refer to it.
    """
    arrays = [each.reference() for each in known]
    last = arrays[-1]
    if last is None or len(known) < STEPS:
        return 0, 0
    address, digest = _address(last), _digest(last)
    shared = {
        id(array): each.digest != digest
        for each, array in zip(known, arrays)
        if array is not None and _address(array) == address
    }
    if all(array is last for array in arrays):
        shared[id(last)] = any(each.digest != digest for each in known)
        held = min(known[-1].references - known[0].references, STEPS - 1)
    else:
        held = len(shared) - 1
    return (held, address) if any(shared.values()) else (0, 0)
