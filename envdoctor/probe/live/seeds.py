"""With which seed an instance begins, and what it then returns: enough to see whether several play
the same episodes. No code of the user's runs for it.
"""

from __future__ import annotations

import zlib
from typing import Any, Iterator, Optional

from envdoctor.model.page import (
    BEGINNING,
    RESEEDED,
    RESET,
    SEED,
    SEEDED,
    STEP,
    VARIED,
)

FEW = 16  # calls of reset() whose observations are looked at
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


def note(numbers: Any, row: int, seed: Any, returned: Any) -> None:
    """Write into the row that begins at `row` that a reset() came back."""
    stepped = numbers[row + STEP]
    if seed is not None:
        number = _number(seed)
        if stepped or number is None:
            numbers[row + RESEEDED] += 1
        else:
            numbers[row + SEED] = number
        numbers[row + SEEDED] += 1
    if numbers[row + RESET] > FEW or numbers[row + VARIED]:
        return
    digest = _digest(returned)
    if not stepped:
        numbers[row + BEGINNING] = digest
    elif digest and digest != numbers[row + BEGINNING]:
        numbers[row + VARIED] += 1


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
        data = b"|".join(_parts(returned[0] if pair else returned, DEPTH))
    except LookupError:
        return 0
    return (zlib.crc32(data) << 30 | zlib.adler32(data) >> 2) + 1


def _parts(value: Any, depth: int) -> Iterator[bytes]:
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
            yield from _parts(each, depth - 1)
    else:
        raise LookupError
