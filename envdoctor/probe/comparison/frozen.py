"""Values as an environment returned them, frozen: plain tuples that keep none of its objects alive,
and where two of them differ.

A frozen value is a tuple that `marshal` can write:

    ("plain", type, value)          None, bool, int, float, complex, str, bytes
    ("array", dtype, shape, bytes)  an array of numpy, or what can be seen as one (a tensor);
                                    "scalar" in place of "array" for a number of numpy
    ("digest", what, shape, digest) what is too large to be kept: two can be told apart, but not
                                    where they differ
    ("map", ((key, frozen), ...))   a dict, or the fields of a dataclass or structured array, in
                                    the order of their keys
    ("tuple", (frozen, ...))        also "list" and "set"
    ("opaque", type)                what cannot be compared: it makes no difference, and no
                                    equality either
"""

from __future__ import annotations

import dataclasses
import enum
import math
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

from envdoctor.model.trajectory import Frozen
from envdoctor.probe import loaded

LARGEST = 64 * 1024  # bytes of one array or text that are kept
DEEPEST = 8  # containers within containers
WIDEST = 4096  # parts of one value
SHOWN = 60  # characters of a value in a sentence

PLAIN = (type(None), bool, int, float, complex, str, bytes)


class ValueDifference(NamedTuple):
    """First difference of two frozen values: `key` is a path such as `["image"][0]`, `place` the
    index of the element in an array (None when it is unknown, or there is none), `values` both as
    short texts, `what` is "value", "type", "dtype", "shape", "keys", "length" or "contents"
    (digested: where is unknown).
    """

    key: str
    what: str
    values: Tuple[str, str]
    place: Optional[Tuple[int, ...]] = None


def freeze(value: object, room: int = LARGEST) -> Frozen:
    """The value, frozen. Arrays and texts of more than `room` bytes are digested. Never raises:
    what does is opaque.
    """
    return _Freezer(min(room, LARGEST)).freeze(value, DEEPEST)


class _Freezer:
    """Freezes one value; `left` is how many parts it may still have, because few objects can be
    nested into very many.
    """

    def __init__(self, room: int) -> None:
        self.room = room
        self.left = WIDEST

    def freeze(self, value: object, depth: int) -> Frozen:
        self.left -= 1
        try:
            if depth < 0 or self.left < 0:
                return ("opaque", "nested too deep" if depth < 0 else "of too many parts")
            return self._plain(value) or self._container(value, depth) or self._array(value, depth)
        except Exception:  # it is the environment's object, and may do anything
            return _opaque(value)

    def _plain(self, value: object) -> Optional[Frozen]:
        if isinstance(value, enum.Enum):
            return ("plain", type(value).__name__, value.name)
        if type(value) not in PLAIN:
            return None
        if isinstance(value, (str, bytes)) and len(value) > self.room:
            data = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value
            return ("digest", type(value).__name__, (len(value),), _digest(data))
        return ("plain", type(value).__name__, value)

    def _container(self, value: object, depth: int) -> Optional[Frozen]:
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            return self._map(
                {field.name: getattr(value, field.name) for field in dataclasses.fields(value)},
                depth,
            )
        if isinstance(value, dict):
            plain = all(type(key) in PLAIN for key in value)
            return (
                self._map(value, depth)
                if plain
                else ("opaque", "dict with keys that are not plain values")
            )
        if not isinstance(value, (tuple, list, set, frozenset)):
            return None
        if len(value) > WIDEST:
            return ("opaque", "of too many parts")
        items = tuple(self.freeze(item, depth - 1) for item in value)
        if isinstance(value, (set, frozenset)):
            return ("set", tuple(sorted(items, key=repr)))
        return ("list" if isinstance(value, list) else "tuple", items)

    def _map(self, items: Dict[object, object], depth: int) -> Frozen:
        if len(items) > WIDEST:
            return ("opaque", "of too many parts")
        return (
            "map",
            tuple(
                sorted(
                    ((repr(key), self.freeze(item, depth - 1)) for key, item in items.items()),
                    key=_first,
                )
            ),
        )

    def _array(self, value: Any, depth: int) -> Frozen:
        numpy = loaded.module("numpy")
        if numpy is None:
            return _opaque(value)
        if callable(getattr(value, "detach", None)):  # a tensor of torch, on any device
            value = value.detach().cpu().numpy()
        if not isinstance(value, (numpy.ndarray, numpy.generic)) and not hasattr(
            type(value), "__array__"
        ):
            return _opaque(value)
        if isinstance(value, numpy.str_):  # what an array of texts is made of
            return self.freeze(str(value), depth)
        array = numpy.asarray(value)
        if array.dtype == object:
            return (
                self._map({"shape": array.shape, "items": array.ravel().tolist()}, depth)
                if array.size <= WIDEST
                else _opaque(value)
            )
        if array.dtype.names is not None:
            return self._map({name: array[name] for name in array.dtype.names}, depth)
        data = array.tobytes()
        if len(data) > self.room:
            return ("digest", array.dtype.str, array.shape, _digest(data))
        return (
            "scalar" if isinstance(value, numpy.generic) else "array",
            array.dtype.str,
            array.shape,
            data,
        )


def _opaque(value: object) -> Frozen:
    return ("opaque", _short("%s.%s" % (type(value).__module__, type(value).__qualname__)))


def _first(pair: Tuple[str, Frozen]) -> str:
    return pair[0]


def _digest(data: bytes) -> str:
    from hashlib import blake2b  # often not needed

    return blake2b(data, digest_size=16).hexdigest()


def thaw(frozen: Optional[Frozen]) -> Any:
    """The value again. Raises ValueError for what is missing, was digested, opaque, or put in an
    order of ours.
    """
    if frozen is None:
        raise ValueError("there is nothing to be thawed")
    kind = frozen[0]
    if kind == "plain" and frozen[1] in {plain.__name__ for plain in PLAIN}:
        return frozen[2]
    if kind in ("array", "scalar"):
        array = as_array(frozen).copy()
        return array[()] if kind == "scalar" else array
    if kind in ("tuple", "list"):
        return (tuple if kind == "tuple" else list)(thaw(item) for item in frozen[1])
    if kind == "map":
        from ast import literal_eval

        return {literal_eval(key): thaw(item) for key, item in frozen[1]}
    raise ValueError("%s cannot be thawed" % frozen[1] if kind in ("opaque", "digest") else kind)


def as_array(frozen: Frozen) -> Any:
    """An array or a number of numpy again; it cannot be written to."""
    import numpy as np

    return np.frombuffer(frozen[3], dtype=np.dtype(frozen[1])).reshape(frozen[2])


def opaque_parts(frozen: Frozen, key: str = "") -> Iterator[Tuple[str, str]]:
    """(path, type) of every part that cannot be compared."""
    if frozen[0] == "opaque":
        yield key, frozen[1]
    for part, item in parts(frozen).items():
        yield from opaque_parts(item, key + _short(part))


def parts(frozen: Frozen) -> Dict[str, Frozen]:
    """The parts of a map, a tuple or a list, by their keys as they are written; else none."""
    if frozen[0] == "map":
        return {"[%s]" % key: item for key, item in frozen[1]}
    if frozen[0] in ("tuple", "list", "set"):
        return {"[%d]" % index: item for index, item in enumerate(frozen[1])}
    return {}


def first_difference(
    left: Frozen, right: Frozen, key: str = "", rounding: float = 0.0
) -> Optional[ValueDifference]:
    """Return where two values differ first; None where nothing that can be compared does. NaN
    equals NaN; types, dtypes and shapes count. Numbers are equal that differ by no more than
    `rounding`, as a part of themselves or of 1.
    """
    if left == right or "opaque" in (left[0], right[0]):
        return None
    if "digest" in (left[0], right[0]):
        left, right = _digested(left), _digested(right)
    if left[0] != right[0]:
        return ValueDifference(key, "type", (_named(left), _named(right)))
    if left[0] in ("map", "tuple", "list", "set"):
        return _difference_in_parts(left, right, key, rounding)
    if left[0] == "plain":
        return _difference_of_plain(left, right, key, rounding)
    if left[1] != right[1]:
        return ValueDifference(key, "dtype", (str(left[1]), str(right[1])))
    if left[2] != right[2]:
        return ValueDifference(
            key, "shape", (_short(str(tuple(left[2]))), _short(str(tuple(right[2]))))
        )
    if left[0] == "digest":
        digests = (left[3], right[3])
        return None if left[3] == right[3] else ValueDifference(key, "contents", digests)
    return _difference_of_arrays(left, right, key, rounding)


def _digested(frozen: Frozen) -> Frozen:
    """One that was kept, as if it had been too large: the room that was left does not matter."""
    if frozen[0] == "array":
        return ("digest", frozen[1], frozen[2], _digest(frozen[3]))
    if frozen[0] == "plain" and frozen[1] in ("str", "bytes"):
        data = frozen[2].encode("utf-8", "surrogatepass") if frozen[1] == "str" else frozen[2]
        return ("digest", frozen[1], (len(frozen[2]),), _digest(data))
    return frozen


def _difference_in_parts(
    left: Frozen, right: Frozen, key: str, rounding: float
) -> Optional[ValueDifference]:
    ours, theirs = parts(left), parts(right)
    if ours.keys() != theirs.keys():
        if left[0] == "map":
            return ValueDifference(
                key, "keys", (_short(", ".join(ours)), _short(", ".join(theirs)))
            )
        return ValueDifference(key, "length", (str(len(ours)), str(len(theirs))))
    differences = (
        first_difference(item, theirs[part], key + _short(part), rounding)
        for part, item in ours.items()
    )
    return next((difference for difference in differences if difference is not None), None)


def _difference_of_plain(
    left: Frozen, right: Frozen, key: str, rounding: float
) -> Optional[ValueDifference]:
    if left[1] != right[1]:
        return ValueDifference(key, "type", (_short(left[1]), _short(right[1])))
    both_nan = _is_nan(left[2]) and _is_nan(right[2])
    rounded = (
        rounding > 0
        and isinstance(left[2], float)
        and math.isclose(left[2], right[2], rel_tol=rounding, abs_tol=rounding)
    )
    return (
        None
        if left[2] == right[2] or both_nan or rounded
        else ValueDifference(key, "value", (_short(repr(left[2])), _short(repr(right[2]))))
    )


def _difference_of_arrays(
    left: Frozen, right: Frozen, key: str, rounding: float
) -> Optional[ValueDifference]:
    """Equal bytes were seen to be equal before; unequal ones may still be NaN of another kind,
    or zeros of another sign.
    """
    import numpy as np

    ours, theirs = as_array(left), as_array(right)
    unequal = (ours != theirs) & ~(_is_nan(ours) & _is_nan(theirs))
    if rounding and ours.dtype.kind == "f":
        unequal &= ~np.isclose(ours, theirs, rtol=rounding, atol=rounding)
    places: List[Tuple[int, ...]] = [
        tuple(int(number) for number in place) for place in np.argwhere(unequal)[:1]
    ]
    if not places:
        return None
    place = places[0]
    return ValueDifference(
        key,
        "value",
        (_short(str(ours[place])), _short(str(theirs[place]))),
        place if ours.shape else None,
    )


def _is_nan(values: object) -> Any:
    return values != values  # noqa: PLR0124 - for every dtype: times have a NaN, too


def _named(frozen: Frozen) -> str:
    return _short(str(frozen[1])) if frozen[0] in ("plain", "digest") else str(frozen[0])


def _short(text: str) -> str:
    return text if len(text) <= SHOWN else text[: SHOWN - 3] + "..."
