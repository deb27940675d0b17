"""The state of mutable objects: compared, kept, and put back. No code of the subject runs.

What two instances share is given to each of them apart in this way: before a call of the one, what
it left there is put back, and after it, what is there is kept for its next call.
"""

from __future__ import annotations

import gc
import random
from collections import OrderedDict, deque
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Deque,
    Dict,
    Iterator,
    List,
    Mapping,
    NamedTuple,
    Optional,
    Set,
    Tuple,
)

from envdoctor.probe import loaded
from envdoctor.probe.growth.chains import is_a, module_of, own_namespace
from envdoctor.probe.growth.elements import LEAVES

if TYPE_CHECKING:
    from numpy.random import Generator

Items = List[Tuple[object, object]]

DEPTH = 8  # references that are followed
MOST = 2000  # objects that are looked at; where there are more, nothing is said
MOST_BYTES = 4 << 20  # of one array

_PLAIN = (str, bytes, int, float, complex, bool, type(None))
#: Packages whose objects belong to the process: a logger leads to all others.
_OF_PROCESS = ("logging", "threading", "envdoctor")


def _put_back_list(obj: List[object], kept: List[object]) -> None:
    list.__setitem__(obj, slice(None), kept)


def _put_back_deque(obj: Deque[object], kept: List[object]) -> None:
    deque.clear(obj)
    deque.extend(obj, kept)


def _put_back_ordered(obj: OrderedDict[object, object], kept: Items) -> None:
    OrderedDict.clear(obj)
    for key, value in kept:
        OrderedDict.__setitem__(obj, key, value)


def _put_back_dict(obj: Dict[object, object], kept: Items) -> None:
    dict.clear(obj)
    dict.update(obj, kept)


def _put_back_set(obj: Set[object], kept: List[object]) -> None:
    set.clear(obj)
    set.update(obj, kept)


def _put_back_bytes(obj: bytearray, kept: List[bytes]) -> None:
    obj[:] = kept[0]


#: Built-in containers: how their elements are read, and put back.
_KINDS: Tuple[Tuple[type, Callable[..., object], Callable[..., None]], ...] = (
    (list, lambda obj: list(list.__iter__(obj)), _put_back_list),
    (deque, lambda obj: list(deque.__iter__(obj)), _put_back_deque),
    (OrderedDict, lambda obj: list(OrderedDict.items(obj)), _put_back_ordered),
    (dict, lambda obj: list(dict.items(obj)), _put_back_dict),
    (set, lambda obj: list(set.__iter__(obj)), _put_back_set),
    (bytearray, lambda obj: [bytes(obj)], _put_back_bytes),
)


class KeptState(NamedTuple):
    """The state of an object: `value`, and what puts it back."""

    obj: object
    value: object
    put_back: Callable[..., None]


def read(obj: object) -> Iterator[KeptState]:
    """The state of one object, in its parts; nothing where it has none that is known."""
    for kind, elements_of, put_back in _KINDS:
        if is_a(obj, kind):
            yield KeptState(obj, elements_of(obj), put_back)
            break
    else:
        kept = _of_library(obj)
        if kept is not None:
            yield kept
    names = own_namespace(obj)
    if names is not None:
        yield KeptState(names, list(dict.items(names)), _put_back_dict)


def _of_library(obj: Any) -> Optional[KeptState]:
    """The state of an array, or of a generator of random numbers."""
    if type(obj) is random.Random:
        return KeptState(obj, obj.getstate(), random.Random.setstate)
    numpy = loaded.module("numpy")
    if numpy is None:
        return None
    if type(obj) is numpy.ndarray and obj.nbytes <= MOST_BYTES and obj.flags.writeable:
        return KeptState(obj, obj.copy(), numpy.copyto)
    if type(obj) is numpy.random.Generator:
        return KeptState(obj, obj.bit_generator.state, _seed_generator)
    if type(obj) is numpy.random.RandomState:
        return KeptState(obj, obj.get_state(), numpy.random.RandomState.set_state)
    return None


def _seed_generator(obj: Generator, kept: Mapping[str, object]) -> None:
    obj.bit_generator.state = kept


def digest(kept: KeptState) -> object:
    """Return what tells two states of one object apart: plain values themselves, and the identities
    of others.
    """
    value = kept.value
    if type(value) is list:
        return [_token(each) for each in value]
    array = getattr(value, "tobytes", None)
    return hash(array()) if array is not None else repr(value)


def _token(value: object) -> object:
    if type(value) in _PLAIN:
        return repr(value)
    if type(value) is tuple and len(value) <= 2:  # an item of a dict, for one
        return [_token(each) for each in value]
    return id(value)


def leads_on(obj: object) -> bool:
    """Return whether an object may have a state, or lead to one that has."""
    return not is_a(obj, LEAVES) and module_of(type(obj)).partition(".")[0] not in _OF_PROCESS


def below(root: object, most: int = MOST) -> Optional[List[object]]:
    """An object and what it leads to; None where that is too much."""
    objects: Dict[int, object] = {}
    level = [root]
    for _ in range(DEPTH):
        following = []
        for obj in level:
            if id(obj) in objects or not leads_on(obj):
                continue
            objects[id(obj)] = obj
            if len(objects) > most:
                return None
            own_namespace(obj)
            following += gc.get_referents(obj)
        level = following
    return list(objects.values())


class State(NamedTuple):
    """The state of a value and of all that it leads to, by identities."""

    value: object
    objects: Dict[int, object]


def state(value: object, most: int = MOST) -> Optional[State]:
    """The state of a value; None where it leads to too much."""
    return state_of(value, below(value, most))


def state_of(value: object, objects: Optional[List[object]]) -> Optional[State]:
    """The state of a value that leads to these objects; None where they are too many."""
    if objects is None:
        return None
    return State(_token(value), {id(obj): [digest(each) for each in read(obj)] for obj in objects})


class Switch:
    """Gives each of two instances its own state of what they share: `objects`, and the values that
    `owners` (modules and classes) have by name.
    """

    def __init__(self, objects: List[object], bindings: List[Tuple[object, str]]) -> None:
        self.objects = objects
        self.bindings = bindings
        self.states = [self._now(), self._now()]

    def enter(self, index: int) -> None:
        """Put back what an instance left."""
        kept, values = self.states[index]
        for each in kept:
            each.put_back(each.obj, each.value)
        for (owner, name), value in zip(self.bindings, values):
            if value is _MISSING:
                continue
            if is_a(owner, type):
                type.__setattr__(owner, name, value)
            else:
                vars(owner)[name] = value

    def leave(self, index: int) -> None:
        """Keep what it left."""
        self.states[index] = self._now()

    def _now(self) -> Tuple[List[KeptState], List[object]]:
        kept = [each for obj in self.objects for each in read(obj)]
        names = (vars(owner).get(name, _MISSING) for owner, name in self.bindings)
        return kept, list(names)


_MISSING = object()
