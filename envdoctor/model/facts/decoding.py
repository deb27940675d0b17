"""From the JSON of a fact to dataclasses, and back.

A field is named as its key in the journal, or says otherwise by `key("class")`. A key that is
missing, or null, is the field's default. Keys without a field are ignored: a saved run of a later
version may have more of them. A field with the metadata `WHOLE` holds the value as it was written.
"""

from __future__ import annotations

import math
import types
from collections.abc import Mapping as AnyMapping
from contextlib import suppress
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import (
    Any,
    Callable,
    ClassVar,
    Dict,
    Iterator,
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

_UNIONS = (Union, getattr(types, "UnionType", Union))  # `X | Y` is another one
ABSENT = object()
MAX_WHOLE = 1 << 64  # process ids, addresses and counts are less

Reader = Callable[[Any], Any]
F = TypeVar("F", bound="Fact")
T = TypeVar("T")


class Fact:
    """A verb's result: the value of the journal's event `fact` with the key `KEY`."""

    KEY: ClassVar[str] = ""

    @classmethod
    def decode(cls: Type[F], value: Any) -> F:
        """The fact that a journal holds; ValueError with one sentence where it holds none."""
        return decoded(cls, value)


class ListedFact(Fact):
    """A fact that is not an object: its dataclass has one field, which holds the array or the one
    value that it is.
    """

    @classmethod
    def decode(cls: Type[F], value: Any) -> F:
        """The fact that a journal holds; ValueError with one sentence where it holds none."""
        name = fields(cls)[0].name  # type: ignore[arg-type]  # each kind of fact is a dataclass
        return decoded(cls, {name: value})


def key(name: str) -> Mapping[str, str]:
    """The metadata of a field that is named otherwise than its key."""
    return {"key": name}


def decoded(kind: Type[T], value: Any, **given: Any) -> T:
    """A dataclass of a JSON value; ValueError with one sentence where that does not fit. What is
    `given` is not looked for in the value.
    """
    if type(value) is not dict and not isinstance(value, AnyMapping):
        raise _unexpected("an object", value)
    values = given
    for name, at, has_default, read, reads_all, exact in _entries(kind):
        if name in values:
            continue
        each = value.get(at, ABSENT)
        if type(each) is exact:
            values[name] = each
        elif reads_all:
            values[name] = value
        elif each is ABSENT:
            if not has_default:
                raise ValueError("%s has no key '%s'" % (kind.__name__, at))
        elif each is not None or not has_default:
            try:
                values[name] = read(each)
            except ValueError as error:
                raise ValueError("%s of %s: %s" % (at, kind.__name__, error)) from None
    return kind(**values)


def read_loosely(kind: Type[T], value: Any) -> T:
    """A dataclass whose fields all have defaults, of a JSON value that anybody may have written:
    what does not fit is as if it was not there.
    """
    if not isinstance(value, AnyMapping):
        return kind()
    values: Dict[str, Any] = {}
    for entry in _entries(kind):
        if entry.key in value:
            with suppress(ValueError):
                values[entry.name] = entry.read(value[entry.key])
    return kind(**values)


def as_json(value: Any) -> Any:
    """Return the JSON form of a value for the journal. Fields with their default are left out."""
    if is_dataclass(value):
        written = getattr(value, "wire", None)
        if written:
            return written
        return {
            _key_of(each): as_json(entry)
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
    whole: bool
    exact: Optional[type]  # values of this type are taken as they are


_ENTRIES: Dict[Type[Any], Tuple[_Entry, ...]] = {}  # of each kind that was decoded so far


def _entries(kind: Type[Any]) -> Tuple[_Entry, ...]:
    if kind not in _ENTRIES:
        _ENTRIES[kind] = tuple(_entries_of(kind))
    return _ENTRIES[kind]


def _entries_of(kind: Type[Any]) -> Iterator[_Entry]:
    hints = get_type_hints(kind)
    return (
        _Entry(
            each.name,
            _key_of(each),
            each.default is not MISSING or each.default_factory is not MISSING,
            _reader(hints[each.name]),
            "whole" in each.metadata,
            hints[each.name] if hints[each.name] in (str, bool) else None,
        )
        for each in fields(kind)
    )


def _key_of(each: "Field[Any]") -> str:
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


def _either(hints: Sequence[Any], readers: Sequence[Reader]) -> Reader:
    objects = [read for hint, read in zip(hints, readers) if get_origin(hint) is AnyMapping]

    def either(value: Any) -> Any:
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
    def row(value: Any) -> Tuple[Any, ...]:
        if len(_array(value)) != len(reads):
            raise ValueError("expected %d values, got %d" % (len(reads), len(value)))
        return tuple(read(each) for read, each in zip(reads, value))

    return row


def _by_key(read: Reader) -> Reader:
    def by_key(value: Any) -> Dict[str, Any]:
        if type(value) is not dict and not isinstance(value, AnyMapping):
            raise _unexpected("an object", value)
        return {name: read(each) for name, each in value.items()}

    return by_key


def _texts_by_key(value: Any) -> Dict[str, str]:
    if type(value) is not dict and not isinstance(value, AnyMapping):
        raise _unexpected("an object", value)
    if not set(map(type, value.values())) <= {str}:
        return {name: _text(each) for name, each in value.items()}
    return dict(value)


def _array(value: Any) -> Sequence[Any]:
    if not isinstance(value, (list, tuple)):
        raise _unexpected("an array", value)
    return value


def _unexpected(kind: str, value: Any) -> ValueError:
    return ValueError("expected %s, got %s" % (kind, type(value).__name__))


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise _unexpected("a text", value)
    return value


def _integer(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) >= MAX_WHOLE:
        raise _unexpected("a whole number", value)
    return value


def _number(value: Any) -> float:
    if isinstance(value, float) and math.isfinite(value):
        return value
    if isinstance(value, bool) or not isinstance(value, int):
        raise _unexpected("a number", value)
    return _integer(value)


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise _unexpected("true or false", value)
    return value


_PLAIN: Dict[Any, Reader] = {
    Any: lambda value: value,
    str: _text,
    int: _integer,
    float: _number,
    bool: _flag,
}
