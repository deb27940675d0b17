"""From the JSON of a fact to dataclasses, and back.

A field is named as its key in the journal, or says otherwise by `key("class")`. A key that is
missing, or null, is the field's default. Keys without a field are ignored: a saved run of a later
version may have more of them. A field with the metadata `AS_WRITTEN` holds the value as it was
written.
"""

from __future__ import annotations

import math
import types
from collections.abc import Mapping as AnyMapping
from contextlib import suppress
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import lru_cache
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    ClassVar,
    Dict,
    FrozenSet,
    Mapping,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
    Type,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_UNIONS = (Union, getattr(types, "UnionType", Union))  # `X | Y` is another one
ABSENT = object()
MAX_WHOLE = 1 << 64  # process ids, addresses and counts are less
LEAST = -MAX_WHOLE

Reader = Callable[[object], Any]
F = TypeVar("F", bound="Fact")
T = TypeVar("T")


class Fact:
    """A verb's result: the value of the journal's event `fact` with the key `KEY`."""

    KEY: ClassVar[str] = ""

    @classmethod
    def decode(cls: Type[F], value: object) -> F:
        """The fact that a journal holds; ValueError with one sentence where it holds none."""
        return decoded(cls, value)


class ListedFact(Fact):
    """A fact that is not an object: its dataclass has one field, which holds the array or the one
    value that it is.
    """

    @classmethod
    def decode(cls: Type[F], value: object) -> F:
        """The fact that a journal holds; ValueError with one sentence where it holds none."""
        name = fields(cls)[0].name  # type: ignore[arg-type]  # each kind of fact is a dataclass
        return decoded(cls, {name: value})


def key(name: str) -> Mapping[str, str]:
    """The metadata of a field that is named otherwise than its key."""
    return {"key": name}


def decoded(kind: Type[T], value: object, **preset: object) -> T:
    """A dataclass of a JSON value; ValueError with one sentence where that does not fit. Fields in
    `preset` are not read from the value.
    """
    if type(value) is not dict and not isinstance(value, AnyMapping):
        raise _unexpected("an object", value)
    entries, needed, copies = _fields_of(kind)  # type: ignore[arg-type]  # a class can be hashed
    values = preset
    for at, each in value.items():
        entry = entries.get(at)
        if entry is None:
            continue
        name, _, has_default, read, exact, number = entry
        if name in values:
            continue
        written = type(each)
        if written is exact or (written is number and LEAST < each < MAX_WHOLE):
            values[name] = each
        elif each is not None or not has_default:
            try:
                values[name] = read(each)
            except ValueError as error:
                raise ValueError("%s of %s: %s" % (at, kind.__name__, error)) from None
    for name in copies:
        values.setdefault(name, value)
    if not needed <= values.keys():
        lacking = next(each for each in entries.values() if each.name in needed - values.keys())
        raise ValueError("%s has no key '%s'" % (kind.__name__, lacking.key))
    return kind(**values)


def read_loosely(kind: Type[T], value: object) -> T:
    """A dataclass whose fields all have defaults, of a JSON value that anybody may have written:
    what does not fit is as if it was not there.
    """
    if not isinstance(value, AnyMapping):
        return kind()
    values: Dict[str, object] = {}
    for at, entry in _fields_of(kind).entries.items():  # type: ignore[arg-type]
        if at in value:
            with suppress(ValueError):
                values[entry.name] = entry.read(value[at])
    return kind(**values)


def as_json(value: object) -> Any:
    """Return the JSON form of a value for the journal. Fields with their default are left out."""
    if is_dataclass(value):
        written = getattr(value, "wire", None)
        if written:
            return written
        return {
            encoded_name(each): as_json(entry)
            for each in fields(value)
            for entry in [getattr(value, each.name)]
            if entry != each.default
        }
    if isinstance(value, (tuple, list)):
        return [as_json(each) for each in value]
    if isinstance(value, AnyMapping):
        return {name: as_json(each) for name, each in value.items()}
    return value


class _Entry(NamedTuple):
    """One field: its name, its key in the journal, and how its value is read."""

    name: str
    key: str
    has_default: bool
    read: Reader
    exact: Optional[type]  # values of this type are taken as they are,
    number: Optional[type]  # and of this one, if they are within the bounds


class _Fields(NamedTuple):
    """A dataclass: its fields by their keys, those that a value must have, and those of
    `AS_WRITTEN`.
    """

    entries: Dict[str, _Entry]
    needed: FrozenSet[str]
    copies: Tuple[str, ...]


@lru_cache(maxsize=None)
def _fields_of(kind: Type[DataclassInstance]) -> _Fields:
    hints = get_type_hints(kind)
    copies = tuple(each.name for each in fields(kind) if "as written" in each.metadata)
    entries = [_entry(each, hints[each.name]) for each in fields(kind) if each.name not in copies]
    needed = frozenset(entry.name for entry in entries if not entry.has_default)
    return _Fields({entry.key: entry for entry in entries}, needed, copies)


def _entry(each: "Field[object]", hint: object) -> _Entry:
    has_default = each.default is not MISSING or each.default_factory is not MISSING
    inner = [kind for kind in get_args(hint) if kind is not type(None)]
    plain = inner[0] if get_origin(hint) in _UNIONS and len(inner) == 1 else hint
    exact = plain if plain in (str, bool) else None
    number = plain if plain in (int, float) else None
    return _Entry(each.name, encoded_name(each), has_default, _reader(hint), exact, number)


def encoded_name(each: "Field[object]") -> str:
    """Return the key of a field in the journal."""
    return str(each.metadata.get("key", each.name))


def _reader(hint: Any) -> Reader:
    """Return the function that decodes values of a type."""
    origin, inner = get_origin(hint), get_args(hint)
    if hint in _PLAIN:
        return _PLAIN[hint]
    if origin in _UNIONS:
        readers = [_reader(inner_hint) for inner_hint in inner if inner_hint is not type(None)]
        return _perhaps(readers[0]) if type(None) in inner else _either(inner, readers)
    if origin is tuple and inner[-1] is Ellipsis:
        return _each(_reader(inner[0]))
    if origin is tuple:
        return _row(tuple(_reader(inner_hint) for inner_hint in inner))
    if origin is AnyMapping:
        return _texts_by_key if inner[1] is str else _by_key(_reader(inner[1]))
    if hasattr(hint, "read"):  # it says itself what becomes of a value that does not fit
        return hint.read  # type: ignore[no-any-return]
    return lambda value: decoded(hint, value)


def _perhaps(read: Reader) -> Reader:
    return lambda value: None if value is None else read(value)


def _either(hints: Sequence[object], readers: Sequence[Reader]) -> Reader:
    objects = [read for hint, read in zip(hints, readers) if get_origin(hint) is AnyMapping]

    def either(value: object) -> object:
        if type(value) is dict and len(objects) == 1:  # what is raised and caught takes long
            return objects[0](value)
        for read in readers[:-1]:
            try:
                return read(value)
            except ValueError:
                continue
        return readers[-1](value)

    return either


def _each(read: Reader) -> Reader:
    return lambda value: tuple(read(each) for each in _array(value))


def _row(reads: Tuple[Reader, ...]) -> Reader:
    def row(value: Any) -> Tuple[object, ...]:
        if len(_array(value)) != len(reads):
            raise ValueError("expected %d values, got %d" % (len(reads), len(value)))
        return tuple(read(each) for read, each in zip(reads, value))

    return row


def _by_key(read: Reader) -> Reader:
    def by_key(value: object) -> Dict[str, object]:
        if type(value) is not dict and not isinstance(value, AnyMapping):
            raise _unexpected("an object", value)
        return {name: read(each) for name, each in value.items()}

    return by_key


def _texts_by_key(value: object) -> Dict[str, str]:
    if type(value) is dict and set(map(type, value.values())) <= {str}:
        return dict(value)
    return dict(_by_key(_text)(value))


def _array(value: object) -> Sequence[object]:
    if not isinstance(value, (list, tuple)):
        raise _unexpected("an array", value)
    return value


def _unexpected(kind: str, value: object) -> ValueError:
    return ValueError("expected %s, got %s" % (kind, type(value).__name__))


def _only(kind: type, name: str) -> Reader:
    def read(value: object) -> object:
        if not isinstance(value, kind):
            raise _unexpected(name, value)
        return value

    return read


_text, _flag = _only(str, "a text"), _only(bool, "true or false")


def _integer(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) >= MAX_WHOLE:
        raise _unexpected("a whole number", value)
    return value


def _number(value: object) -> float:
    if isinstance(value, float) and math.isfinite(value):
        return value
    if isinstance(value, bool) or not isinstance(value, int):
        raise _unexpected("a number", value)
    return _integer(value)


_PLAIN: Dict[object, Reader] = {
    Any: lambda value: value,
    object: lambda value: value,
    str: _text,
    int: _integer,
    float: _number,
    bool: _flag,
}
