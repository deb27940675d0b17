"""The attributes of an instance in which something of an episode lives on, so that the same seed
gives another one. No code of the subject runs but its episodes.

An attribute is reported only where it was tried: the episode is another one as long as the
attribute has what the episode before left, and is the same once it has again what the constructor
gave it.
"""

from __future__ import annotations

import dis
import sys
from types import CodeType, FrameType
from typing import Callable, Dict, Iterator, List, Optional, Set, Tuple

from envdoctor.probe.comparison import switching
from envdoctor.probe.comparison.frozen import first_difference
from envdoctor.probe.comparison.initial_state import KeptPlaces, Key, Placed, blocking_places
from envdoctor.probe.comparison.layers import Episodes
from envdoctor.probe.growth.chains import module_of, own_namespace
from envdoctor.probe.heartbeat import beat

OF_INSTANCE, SELF, RESET = "attribute", "self", "reset"
STORES = "STORE_ATTR"
MOST = 2  # attributes that are named: more are a reset() that sets back nothing
MOST_OF_RESETTING = 8  # of an object whose own reset() would set them back
DEPTH, OBJECTS = 3, 64  # of the attributes that are looked into, and how many
MOST_TRIED = 16  # of which each is tried alone
BUILTIN = ("builtins", "collections", "numpy", "random")


def leftovers(
    episodes: Episodes, inner: object, seed: int, is_over: Callable[[], bool]
) -> List[Dict[str, object]]:
    """The attributes as the journal has them: {"name", "class", "resets", "setter"}, the class of
    the object that has it, whether that has a reset() which is not called, and its one method that
    sets the attribute and that reset() does not call. `inner` is new: nothing has been called yet.
    """
    kept = KeptPlaces(lambda: _attributes(inner, SELF))
    objects = _objects(inner)
    nested = {name: _kept(name, obj, _way_to(name, objects)) for name, obj in objects.items()}
    episodes.begin(seed)
    first = episodes.results
    called, in_reset = _code_called(lambda: episodes.begin(None), type(inner))
    for each in nested.values():
        each.changed()

    def fails() -> bool:
        beat()
        try:
            episodes.begin(seed)
            results = episodes.results
        except Exception:
            return True
        finally:
            kept.put_back([])
        pairs = zip(first, results)
        return len(first) != len(results) or any(first_difference(*pair) for pair in pairs)

    places, owner = _needed(kept, fails, is_over, MOST), inner
    while len(places) == 1 and places[0][1] in nested:
        name = places[0][1]
        most = MOST_OF_RESETTING if _is_uncalled(objects[name], called) else MOST
        within = _needed(nested[name], fails, is_over, most)
        if not within:
            break
        places, owner = within, objects[name]
    names = [name.rpartition(".")[2] for _, name in places]
    held = own_namespace(owner)
    if any(_leads_to(held.get(name), inner) for name in names):
        return []  # with it, all of the instance was put back
    return [_described(key, owner, called, in_reset) for key in places]


def _code_called(play: Callable[[], object], kind: type) -> Tuple[Set[CodeType], Set[CodeType]]:
    """Return the code of the functions that are called meanwhile, and of those in a reset()."""
    called: Set[CodeType] = set()
    in_reset: Set[CodeType] = set()
    resets = {getattr(vars(base).get(RESET), "__code__", None) for base in kind.__mro__}

    def note(frame: FrameType, _event: str, _arg: object) -> None:
        called.add(frame.f_code)
        above: Optional[FrameType] = frame
        while above is not None and above.f_code not in resets:
            above = above.f_back
        if above is not None:
            in_reset.add(frame.f_code)

    earlier = sys.getprofile()
    sys.setprofile(note)
    try:
        play()
    finally:
        sys.setprofile(earlier)
    return called, in_reset


def _objects(inner: object) -> Dict[str, object]:
    """The objects below an instance that have attributes of their own, by the ways to them, each
    by its shortest.
    """
    objects: Dict[str, object] = {}
    known, ahead = {id(inner)}, [(SELF, inner)]
    for way, obj in ahead:
        for name, value in list((own_namespace(obj) or {}).items()):
            if id(value) in known or not _has_attributes(value) or len(objects) >= OBJECTS:
                continue
            known.add(id(value))
            objects["%s.%s" % (way, name)] = value
            if way.count(".") + 1 < DEPTH:
                ahead.append(("%s.%s" % (way, name), value))
    return objects


def _is_uncalled(obj: object, called: Set[CodeType]) -> bool:
    """Return whether an object has a reset() that an episode does not call."""
    code = getattr(getattr(type(obj), RESET, None), "__code__", None)
    return code is not None and code not in called


def _needed(
    kept: KeptPlaces, fails: Callable[[], bool], is_over: Callable[[], bool], most: int
) -> List[Key]:
    """The few places that have to be put back; none where they are many, or where that does not
    help.
    """
    needed = blocking_places(kept, fails, is_over) or []
    for key in needed if 1 < len(needed) <= MOST_TRIED else []:
        others = [each for each in needed if each != key]
        kept.put_back(others)
        if not is_over() and not fails():
            needed = others
    return needed if len(needed) <= most else []


def _leads_to(value: object, inner: object) -> bool:
    return any(each is inner for each in switching.below(value) or ())


def _way_to(name: str, objects: Dict[str, object]) -> List[object]:
    """The objects on the way to one: what refers back to them would put all of them back."""
    ways = [name.rsplit(".", steps)[0] for steps in range(1, DEPTH)]
    return [objects[way] for way in ways if way in objects]


def _kept(name: str, obj: object, above: List[object]) -> KeptPlaces:
    def places() -> Iterator[Placed]:
        for place in _attributes(obj, name):
            if not any(place[-1] is each for each in above):
                yield place

    return KeptPlaces(places)


def _attributes(obj: object, prefix: str) -> Iterator[Placed]:
    for name, value in list((own_namespace(obj) or {}).items()):
        yield (OF_INSTANCE, "%s.%s" % (prefix, name)), obj, name, value


def _has_attributes(obj: object) -> bool:
    of_library = module_of(type(obj)).partition(".")[0] in BUILTIN
    return not of_library and not isinstance(obj, type) and own_namespace(obj) is not None


def _described(
    key: Key, owner: object, called: Set[CodeType], in_reset: Set[CodeType]
) -> Dict[str, object]:
    resets = key[1].count(".") > 1 and _is_uncalled(owner, called)
    setters = list(_setters(type(owner), key[1].rpartition(".")[2], in_reset))
    setter = setters[0] if len(setters) == 1 and not resets else ""
    return {"name": key[1], "class": type(owner).__name__, "resets": resets, "setter": setter}


def _setters(kind: type, name: str, in_reset: Set[CodeType]) -> Iterator[str]:
    """The methods of a class that set an attribute and take nothing, and that reset() does not
    call.
    """
    for method in {name for base in kind.__mro__ for name in vars(base)}:
        code = getattr(getattr(kind, method, None), "__code__", None)
        if code is None or method.startswith("__") or method == RESET or code in in_reset:
            continue
        stores = (
            each.opname == STORES and each.argval == name for each in dis.get_instructions(code)
        )
        if code.co_argcount == 1 and not code.co_kwonlyargcount and any(stores):
            yield method
