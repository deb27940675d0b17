"""With which seed an instance begins, and what it then returns: enough to see whether several play
the same episodes, or one plays the same again and again. No code of the user's runs for it.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import os
import sys
import types
import weakref
import zlib
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Set, Tuple

from envdoctor.model.page import (
    ALIKE,
    BEGINNING,
    BY_RESET,
    DRAWN,
    FEW,
    FIRST,
    FORCED,
    HOLDS,
    IN_EPISODES,
    INSTANCES,
    LOOKS,
    MOVED,
    NUMPY,
    OTHERWISE,
    OWN,
    OWN_STEPS,
    PYTHON,
    RESEEDED,
    RESET,
    SAME,
    SEED,
    SEEDED,
    SEEDED_GLOBALLY,
    SEEDS_NOTICED,
    SET_BACK,
    STATES,
    STEP,
    UNSEEDED,
    VARIED,
    WIDTH,
)
from envdoctor.probe.live.counted import PENDING_SEEDS, preceded
from envdoctor.probe.live.seeded_random import was_seeded
from envdoctor.probe.live.streams import (
    States,
    has_first_draws,
    is_seeded_globally,
    seeded_with,
    states,
    unseeded,
)
from envdoctor.probe.ownership import Ownership, frame_of, own_place

if TYPE_CHECKING:
    from torch import Tensor

LARGEST = 1 << 63  # the page has room for smaller seeds
ITEMS, DEPTH, BYTES = 64, 4, 1 << 20  # of an observation that is looked at
PLAIN = (int, float, bool, str, bytes)
#: Whole numbers of numpy by the names of their classes, which depend on its version.
INTEGERS = frozenset(
    "%s%s" % (sign, size)
    for sign in ("", "u")
    for size in ("int8", "int16", "int32", "int64", "intc", "longlong")
)
SCALARS = ("float32", "float64", "int32", "int64", "uint8", "bool", "bool_")
#: Wrappers that give the same seeds on purpose, and the names of what gives a seed on.
FIXING = ("ReseedWrapper",)
CALLER, ARGUMENT, SELF = "reset", "seed", "self"
#: Classes of frameworks whose values hold their parts in a dict: {name: its attribute}.
CONTENTS: Dict[str, str] = {}
#: The user's lines that call seed() of older interfaces, by the id of an instance.
_lines: Dict[int, Tuple[str, int, str]] = {}
_again: Set[Tuple[int, int]] = set()  # rows that were given their seed again, by process
FRACTIONS = 1 << 16  # a multiple of one of so many parts is round


def steps_of(numbers: memoryview, row: int) -> int:
    """The number of calls of step() so far, without those that reset() made by itself."""
    return numbers[row + STEP] - numbers[row + OWN_STEPS]


def before(numbers: memoryview, row: int, instance: object) -> Optional[States]:
    """The states of generators before a reset() that ends an episode; None before others."""
    wanted = steps_of(numbers, row) and numbers[row + RESET] <= LOOKS
    return states(instance) if wanted else None


def note(
    numbers: memoryview,
    row: int,
    seed: object,
    returned: object,
    instance: object = None,
    earlier: Optional[States] = None,
) -> None:
    """Write into the row that begins at `row` that a reset() came back. `earlier` are the states of
    generators before it.
    """
    stepped = steps_of(numbers, row)
    seed = _seed_of(instance) if seed is None else seed
    again = seed is not None and _note_seed(numbers, row, seed)
    if again and earlier is not None:
        _note_episode(numbers, row, states(instance), earlier)
    if numbers[row + RESET] <= LOOKS:
        _note_states(numbers, row, seed, states(instance), earlier)
        numbers[row + UNSEEDED] = unseeded(instance)
        note_process(numbers)
    looks = numbers[row + SAME] <= FEW if again else numbers[row + RESET] <= FEW
    if not looks or (numbers[row + VARIED] and not again):
        return
    digest = _digest(returned)
    if not stepped:
        numbers[row + BEGINNING] = digest
        numbers[row + DRAWN] = BY_RESET * _is_drawn(seed, returned, instance)
    elif digest and digest != numbers[row + BEGINNING]:
        numbers[row + VARIED] += 1
    elif digest and again:
        numbers[row + ALIKE] += 1


def note_process(numbers: memoryview) -> None:
    """Write down which global generators were seeded in this process."""
    python = was_seeded()
    numbers[SEEDED_GLOBALLY] = bool(is_seeded_globally()) << NUMPY | bool(python) << PYTHON
    numbers[SEEDS_NOTICED] = int(python is not None)


def tell_seeds(instances: Any, row: int, seed: object, instance: object) -> None:
    """Journal the user's line that gives an instance its first seed, and that which gives it this
    seed again.
    """
    numbers, what, key = instances.page.numbers, "", (os.getpid(), row)
    if numbers[row + INSTANCES] != 1:
        return
    if seed is not None and numbers[row + SEEDED] == 1:
        what = "seeded"
    elif numbers[row + SAME] == 1 and key not in _again:
        what = "seeded-again"
        _again.add(key)
    place = (_lines.get(id(instance)) or instances.where()[0]) if what else None
    if place is not None:
        number = row // WIDTH - FIRST + 1
        instances.tell(what, page=instances.name, row=number, frame=frame_of(place))


def follow(cls: type, base: type) -> None:
    """Have calls of seed() seen that a class of the user's defines: the next reset() takes it."""
    own = itertools.takewhile(lambda kind: kind is not base, cls.__mro__)
    owner = next((kind for kind in own if ARGUMENT in vars(kind)), None)
    method = vars(owner)[ARGUMENT] if owner is not None else None
    if type(method) is types.FunctionType:
        type.__setattr__(owner, ARGUMENT, preceded(method, _seeding))


def _seeding(instance: object, seed: object = None, *_: object, **_named: object) -> None:
    """seed() of an instance is called. Nothing of ours reaches the user."""
    with contextlib.suppress(Exception):
        frame, key = sys._getframe(1), id(instance)
        while frame is not None and frame.f_code.co_name != CALLER:
            frame = frame.f_back  # type: ignore[assignment]
        if frame is None:  # a reset() that seeds what it resets does so by itself
            place = own_place(sys._getframe(1), Ownership().is_users)
            if place is not None:
                _lines[key] = place
            PENDING_SEEDS[key] = weakref.ref(instance, lambda _: _forget(key)), seed


def _forget(key: int) -> None:
    PENDING_SEEDS.pop(key, None)
    _lines.pop(key, None)


def _seed_of(instance: object) -> object:
    """The seed that seed() was given before this reset(); None where there is none."""
    reference, seed = PENDING_SEEDS.pop(id(instance), (None, None))
    return seed if reference is not None and reference() is instance else None


def _note_seed(numbers: memoryview, row: int, seed: object) -> bool:
    """Write down a seed. Whether an episode ends whose instance began with the same."""
    number, known = _number(seed), numbers[row + SEEDED] > numbers[row + RESEEDED]
    stepped = steps_of(numbers, row)
    again = bool(stepped) and known and number == numbers[row + SEED]
    if stepped or number is None:
        numbers[row + RESEEDED] += 1
    else:
        numbers[row + SEED] = number
    numbers[row + SEEDED] += 1
    numbers[row + SAME] += again
    if again and numbers[row + SAME] == FEW:
        numbers[row + FORCED] = int(_is_forced())
    return again


def _note_states(
    numbers: memoryview, row: int, seed: object, now: States, earlier: Optional[States]
) -> None:
    """Write down which generators go on, and which are taken back."""
    if not steps_of(numbers, row):
        for source, state in enumerate(now.digests):
            numbers[row + STATES + source] = state
        numbers[row + HOLDS] = now.holds
        return
    for source, state in enumerate(now.digests if seed is None else ()):
        if state != numbers[row + STATES + source]:
            numbers[row + MOVED] |= 1 << source
        elif earlier is not None and state:
            is_another = source == OWN and earlier.holds != now.holds
            if is_another or earlier.digests[source] != state:
                numbers[row + SET_BACK] |= 1 << source


def _note_episode(numbers: memoryview, row: int, now: States, earlier: States) -> None:
    """A reset() was given the first seed again: write down whether it took back the generators of
    the instance that the episode before had drawn from.
    """
    first = numbers[row + STATES + OWN]
    if earlier.digests[OWN] != first:
        numbers[row + DRAWN] |= IN_EPISODES if now.digests[OWN] == first else OTHERWISE


def _is_drawn(seed: object, returned: object, instance: object) -> bool:
    """Return whether a reset() drew what it returned from a generator that its seed had decided."""
    number = _number(seed)
    numbers = [] if number is None else _numbers_of(returned)
    if number is None or not numbers:
        return False
    return (_has_fractions(numbers) and seeded_with(instance, number)) or (
        all(float(each).is_integer() for each in numbers)
        and has_first_draws(instance, number, [int(each) for each in numbers])
    )


def _numbers_of(returned: Any) -> List[float]:
    """The finite numbers of an observation, if it is an array."""
    pair = type(returned) is tuple and len(returned) == 2
    value = returned[0] if pair else returned
    is_array = type(value).__module__ == "numpy" and type(value).__name__ == "ndarray"
    numbers = value.ravel()[:ITEMS].tolist() if is_array and value.dtype.kind in "fiub" else []
    return [x for x in numbers if math.isfinite(x)]


def _has_fractions(numbers: List[float]) -> bool:
    """Return whether some numbers are fractions that are not round."""
    return any(not float(x * FRACTIONS).is_integer() for x in numbers)


def _is_forced() -> bool:
    """Return whether a wrapper gives the seed, and not its caller."""
    frame: Optional[types.FrameType] = sys._getframe(1)
    while frame is not None and frame.f_code.co_name != CALLER:
        frame = frame.f_back
    while frame is not None and frame.f_code.co_name == CALLER:
        code, inside = frame.f_code, frame.f_locals
        takes = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        if type(inside.get(SELF)).__name__ in FIXING:
            return True
        if ARGUMENT in takes and inside.get(ARGUMENT) is None:
            return True
        frame = frame.f_back
    return False


def arguments(unnamed: Tuple[object, ...], named: Dict[str, object]) -> int:
    """A number of what a constructor was given, the same in each process; 0 where that is not
    known.
    """
    try:
        values = [*unnamed, *(value for _, value in sorted(named.items()))]
        parts = [b"None" if each is None else b"|".join(parts_of(each, DEPTH)) for each in values]
    except LookupError:
        return 0
    return zlib.crc32(b",".join([repr(sorted(named)).encode(), *parts])) + 1


def _number(seed: Any) -> Optional[int]:
    """A seed as a number of the page; None where it is another thing."""
    kind = type(seed)
    if kind is int or (kind.__module__ == "numpy" and kind.__name__ in INTEGERS):
        number = int(seed)
        return number if 0 <= number < LARGEST else None
    return None


def _digest(returned: Any) -> int:
    """A number of an observation, the same in each process; 0 where it cannot be had."""
    pair = type(returned) is tuple and len(returned) == 2 and type(returned[1]) is dict
    try:
        data = b"|".join(parts_of(returned[0] if pair else returned, DEPTH))
    except LookupError:
        return 0
    return (zlib.crc32(data) << 30 | zlib.adler32(data) >> 2) + 1


def parts_of(value: Any, depth: int) -> Iterator[bytes]:
    """The bytes of a value. Raises LookupError where one of its parts is not known."""
    kind = type(value)
    if kind in PLAIN:
        yield repr(value).encode()
    elif kind.__module__ == "numpy" and kind.__name__ == "ndarray":
        if value.dtype.hasobject or value.nbytes > BYTES:
            raise LookupError
        yield value.tobytes()
    elif kind.__module__ == "numpy" and kind.__name__ in SCALARS:
        yield value.tobytes()
    elif kind in (dict, tuple, list) and 0 < len(value) <= ITEMS and depth:
        for each in value.items() if kind is dict else value:
            yield from parts_of(each, depth - 1)
    elif (kind.__module__, kind.__name__) == ("torch", "Tensor"):
        yield _of_tensor(value)
    else:
        attribute = CONTENTS["%s.%s" % (kind.__module__, kind.__name__)]
        yield from parts_of(vars(value)[attribute], depth)


def _of_tensor(value: Tensor) -> bytes:
    """The bytes of a tensor that lies in this machine's memory. Raises LookupError for another."""
    if value.device.type != "cpu" or value.numel() * value.element_size() > BYTES:
        raise LookupError
    try:
        return bytes(value.detach().numpy().tobytes())
    except (RuntimeError, TypeError) as error:  # a layout, or a type, that numpy does not have
        raise LookupError from error
