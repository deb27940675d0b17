"""The reference cycle that keeps a closed instance until the collector runs, and whose it is.

What nothing but a cycle keeps, only garbage refers to. So the search goes backwards, from the
instance to what holds it, and stays among what the collector would free.
"""

from __future__ import annotations

import gc
import types
from typing import Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Set

from envdoctor.probe.growth.chains import module_of, own_namespace
from envdoctor.probe.growth.garbage import PLAIN, cycle_of, way_back
from envdoctor.probe.growth.holders import OwnTypes, running_frames

#: Objects that lead to the instance, and references on the way; where there are more, nothing is
#: said. Each of these is a pass over the heap.
MOST, DEPTH = 2000, 16


class Cycle(NamedTuple):
    """The class of an object that leads back to itself, and the way on which it does."""

    kind: type
    chain: str


def own_cycle(
    reference: Callable[[], object], around: Sequence[Callable[[], object]]
) -> Optional[Cycle]:
    """The cycle nearest to the instance: its own, else that of a wrapper (`around` are weak
    references to those, the innermost first), else that of another object. None where none is
    found. The collector has to be off.

    Where the instance leads back to itself by a wrapper, it is that one's if it put itself there.
    """
    target = reference()
    if target is None:
        return None
    own_namespace(target)  # from here on it has its dict, which Python makes when it is asked for
    held_by = _held_by(target)
    if held_by is None:
        return None
    inside = {address for address in held_by if _leads_back(address, held_by)}
    layers = [layer for layer in (each() for each in around) if id(layer) in inside]
    if id(target) in inside:
        first = _handed_out(target, inside, layers)
    else:
        first = layers[0] if layers else _nearest(target, held_by, inside)
    return None if first is None else Cycle(type(first), way_back(first, inside))


def _handed_out(target: object, inside: Set[int], layers: List[object]) -> object:
    """The first wrapper on the way from the instance back to itself, where the code of its class
    names the attribute of the instance by which it is reached; else the instance.
    """
    known = {id(layer) for layer in layers}
    path = cycle_of(target, inside) or []
    first = next((each for each in path if id(each) in known), target)
    beside = set(map(id, path))
    names = own_namespace(target) or {}
    attributes = {name for name, held in names.items() if id(held) in beside}
    return first if attributes & set(_names_in(type(first))) else target


def _names_in(kind: type) -> Iterator[str]:
    """The names that the functions of a class use."""
    for base in kind.__mro__:
        for value in list(type.__getattribute__(base, "__dict__").values()):
            if type(value) is types.FunctionType:
                yield from value.__code__.co_names


def _held_by(target: object) -> Optional[Dict[int, List[object]]]:
    """{id of an object: the objects that refer to it}, of the target and all that leads to it; None
    where there is too much.
    """
    own = OwnTypes()
    holders_of: Dict[int, List[object]] = {id(target): []}
    level = [target]
    for _ in range(DEPTH):
        if not level:
            return holders_of
        holders = gc.get_referrers(*level)
        spared = running_frames() | {id(holders_of), id(level), id(holders)}
        spared |= set(map(id, holders_of.values()))
        following = []
        for holder in holders:
            if id(holder) in spared or own.made(holder):
                continue
            if id(holder) not in holders_of:
                holders_of[id(holder)] = []
                following.append(holder)
            for held in gc.get_referents(holder):
                known = holders_of.get(id(held))
                if known is not None and not any(each is holder for each in known):
                    known.append(holder)
        del holders
        if len(holders_of) > MOST:
            return None
        level = following
    return None


def _leads_back(address: int, held_by: Dict[int, List[object]]) -> bool:
    """Return whether an object is among those that lead to it."""
    visited: Set[int] = set()
    waiting = [address]
    while waiting:
        for holder in held_by.get(waiting.pop(), ()):
            if id(holder) == address:
                return True
            if id(holder) not in visited:
                visited.add(id(holder))
                waiting.append(id(holder))
    return False


def _nearest(target: object, held_by: Dict[int, List[object]], inside: Set[int]) -> object:
    """The object in a cycle that leads to the target on the shortest way, one of a class of its own
    first.
    """
    objects = [each for each in _outwards(target, held_by) if id(each) in inside]
    named = (each for each in objects if module_of(type(each)) not in PLAIN)
    return next(named, objects[0] if objects else None)


def _outwards(target: object, held_by: Dict[int, List[object]]) -> Iterator[object]:
    visited = {id(target)}
    level = [target]
    while level:
        yield from level
        following = []
        for each in level:
            for holder in held_by.get(id(each), ()):
                if id(holder) not in visited:
                    visited.add(id(holder))
                    following.append(holder)
        level = following
