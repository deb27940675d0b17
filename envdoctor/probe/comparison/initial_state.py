"""State that the first instance of a process leaves in modules and classes, and without which a
second instance can be made. No code of the subject runs but the lives of instances.

A place is reported only where it was tried: a second instance fails as long as what the first one
left is there, and is made and reset once the place has again what it had before.
"""

from __future__ import annotations

import contextlib
import sys
import types
from typing import Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple

from envdoctor.probe.comparison import switching
from envdoctor.probe.comparison.shared_state import (
    DEFAULT,
    OF_CLASS,
    OF_MODULE,
    default_arguments,
    file_of,
    own_variables,
)
from envdoctor.probe.comparison.switching import KeptState
from envdoctor.probe.growth.chains import is_a, module_of, type_name

MOST_OBJECTS = 10_000  # of all places that are followed

Key = Tuple[str, str]  # kind and name
Placed = Tuple[Key, object, str, object]  # the name of a place there, and what it has
_MISSING = object()


class InitialValue(NamedTuple):
    """Content of one place at a moment: the value that `owner` has by `name`, and the state of all
    that it leads to; `state` is None where that is too much. The owner of a default argument is its
    function.
    """

    owner: object
    name: str
    value: object
    state: object
    parts: List[KeptState]

    def put_back(self) -> None:
        """Let the place have this again."""
        for part in self.parts:
            part.put_back(part.obj, part.value)
        if isinstance(self.owner, types.FunctionType):
            return
        kind = type if isinstance(self.owner, type) else object
        if self.value is _MISSING:
            kind.__delattr__(self.owner, self.name)
        else:
            kind.__setattr__(self.owner, self.name, self.value)


class KeptPlaces:
    """The values of some places before something that changes them; `places` finds them."""

    def __init__(self, places: Callable[[], Iterator[Placed]]) -> None:
        self._places = places
        self._before = self._now()
        self._after: Dict[Key, InitialValue] = {}

    def changed(self) -> List[Key]:
        """The places that have something else now, and those that were not there. What they have
        now is what the change left.
        """
        now = self._now()
        for key in [key for key in now if key not in self._before]:
            self._before[key] = now[key]._replace(value=_MISSING, state=_MISSING, parts=[])
        self._after = {
            key: now[key]
            for key, before in self._before.items()
            if before.state is not None and key in now and now[key].state != before.state
        }
        return list(self._after)

    def put_back(self, keys: List[Key]) -> None:
        """Let these places have again what they had at first, and all others what the change left.
        A place that cannot be changed stays as it is.
        """
        for place in (*self._after.values(), *(self._before[key] for key in keys)):
            with contextlib.suppress(Exception):
                place.put_back()

    def _now(self) -> Dict[Key, InitialValue]:
        values: Dict[Key, InitialValue] = {}
        left = MOST_OBJECTS
        for key, owner, name, value in self._places():
            objects = switching.below(value, min(left, switching.MOST))
            parts = [part for obj in objects or () for part in switching.read(obj)]
            state = switching.state_of(value, objects)
            left -= len(objects or ())
            values.setdefault(key, InitialValue(owner, name, value, state, parts))
        return values


class InitialState(KeptPlaces):
    """State of the modules and classes of the subject before its first instance is made.

    `is_followed` says of a file whether it is the subject's.
    """

    def __init__(self, is_followed: Callable[[str], bool]) -> None:
        self._modules = [
            module
            for module in list(sys.modules.values())
            if type(module) is types.ModuleType and is_followed(file_of(module))
        ]
        super().__init__(self._of_modules)

    def as_json(self, key: Key) -> Dict[str, object]:
        """A place as the journal has it: {"kind", "name", "file", "line"}, and {"before"}, the
        value that it had, where that is short.
        """
        kind, name = key
        place = self._before[key]
        code = place.owner.__code__ if isinstance(place.owner, types.FunctionType) else None
        described: Dict[str, object] = {
            "kind": kind,
            "name": name,
            "file": code.co_filename if code else "",
            "line": code.co_firstlineno if code else 0,
        }
        if type(place.value) in (bool, int, type(None)):
            described["before"] = repr(place.value)
        return described

    def _of_modules(self) -> Iterator[Placed]:
        """(key, owner, name, value) of all places, those of the subject's own modules."""
        for module in self._modules:
            for owner, name in own_variables(module):
                of_module = owner is module
                owner_name = module.__name__ if of_module else type_name(owner)
                key = (OF_MODULE if of_module else OF_CLASS, "%s.%s" % (owner_name, name))
                yield key, owner, name, vars(owner).get(name, _MISSING)
            yield from _default_arguments(module)


def _default_arguments(module: types.ModuleType) -> Iterator[Placed]:
    for function in _functions(module):
        for name, value in default_arguments(function):
            if switching.leads_on(value):
                yield (DEFAULT, "%s of %s()" % (name, function.__qualname__)), function, name, value


def _functions(module: types.ModuleType) -> Iterator[types.FunctionType]:
    """The functions that a module and its classes define."""
    for value in list(vars(module).values()):
        if is_a(value, types.FunctionType) and value.__module__ == module.__name__:
            yield value
        elif is_a(value, type) and module_of(value) == module.__name__:
            for member in list(type.__getattribute__(value, "__dict__").values()):
                if is_a(member, types.FunctionType):
                    yield member


def blocking_places(
    initial: KeptPlaces, fails: Callable[[], bool], is_over: Callable[[], bool]
) -> Optional[List[Key]]:
    """The places without whose change an instance can be made: those that are enough, by halves.
    None where it does not fail as it is, or where putting back everything does not help.

    `fails` plays the life of an instance; `is_over` says that the time for trials has passed.
    """

    def helps(keys: List[Key]) -> bool:
        initial.put_back(keys)
        return not fails()

    enough = initial.changed()
    if not enough or helps([]) or not helps(enough):
        return None
    while len(enough) > 1 and not is_over():
        middle = (len(enough) + 1) // 2
        halves = (enough[:middle], enough[middle:])
        needed = next((half for half in halves if helps(half)), None)
        if needed is None:
            break
        enough = needed
    return enough
