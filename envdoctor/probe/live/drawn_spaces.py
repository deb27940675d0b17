"""Spaces of actions that a script draws from, and that nothing seeds: the operating system does,
with the first draw. No code of the user's runs for it.
"""

from __future__ import annotations

import os
import sys
import weakref
from types import FrameType, ModuleType
from typing import TYPE_CHECKING, Callable, Dict, List, Optional, Protocol, Set, Tuple

from envdoctor.model.page import ACTION_SPACE, FIRST, WIDTH
from envdoctor.probe import loaded
from envdoctor.probe.live.hosted_twice import instances_of
from envdoctor.probe.live.rows import InstanceRow
from envdoctor.probe.live.starters import self_of
from envdoctor.probe.ownership import frame_of

if TYPE_CHECKING:
    from envdoctor.probe.live.boot import Hook

ENOUGH = 64  # actions before the line is journaled: many scripts look at an action or two
MOST = 256  # spaces of a process that are followed
MOST_FRAMES = 16
GENERATOR, OWN, SELF = "np_random", "_np_random", "self"
Generating = Callable[[object], object]


class WatchedSpaces(Protocol):
    """Instances of a process, which may have a space."""

    hook: Hook
    name: str

    def tell(self, what: str, **keys: object) -> None:
        """Journal something."""

    def is_users(self, file: str) -> bool:
        """Return whether a file is the user's."""

    def follows(self, obj: object) -> bool:
        """Return whether an object is an instance that is followed."""

    def wraps(self, kind: type) -> bool:
        """Return whether a class is one that wraps environments."""

    def rows(self) -> List[InstanceRow]:
        """The instances that there are."""


class DrawnSpace(weakref.ref):  # type: ignore[type-arg]
    """A space whose generator the operating system seeded, with the number of actions that were
    drawn since, and the line of the last draw.
    """

    __slots__ = ("actions", "generator", "line")
    actions: int
    generator: int
    line: int


_unseeded: Dict[int, DrawnSpace] = {}
_journaled: Set[Tuple[int, str, int]] = set()
_libraries: Set[str] = set()  # how the names of the modules of spaces begin


def follow_spaces(watched: WatchedSpaces, hooks: object, module: ModuleType) -> None:
    """Have the draws from the spaces of a framework counted where nothing seeds these."""
    for name in getattr(hooks, "SPACES", {}).get(module.__name__, ()):
        owner = getattr(module, name)
        original = vars(owner).get(GENERATOR)
        if type(original) is property and original.fget is not None:
            _libraries.add(module.__name__.rpartition(".")[0] + ".")
            counting = _counting(watched, original.fget)
            changed = property(counting, original.fset, original.fdel, original.__doc__)
            type.__setattr__(owner, GENERATOR, changed)


def _counting(watched: WatchedSpaces, original: Generating) -> Generating:
    """A property that gives the generator of a space, for each draw."""
    value_of = object.__getattribute__  # no code of the user's

    def np_random(self: object) -> object:
        try:
            is_new = value_of(self, OWN) is None
        except AttributeError:  # the original says so
            is_new = False
        generator = original(self)
        if is_new or id(self) in _unseeded:
            _count(watched, self, generator, is_new)
        return generator

    return np_random


def _count(watched: WatchedSpaces, space: object, generator: object, is_new: bool) -> None:
    """A space is drawn from. Nothing of ours reaches the user."""
    try:
        number = id(space)
        if is_new and len(_unseeded) < MOST:
            known = DrawnSpace(space, lambda _: _unseeded.pop(number, None))
            known.actions, known.line, known.generator = 0, 0, id(generator)
            _unseeded[number] = known
        if number not in _unseeded:
            return
        known = _unseeded[number]
        if known.generator != id(generator):  # it was seeded since
            del _unseeded[number]
            return
        frame = loaded.caller(sys._getframe(1))
        line = 0 if frame is None else frame.f_lineno
        # Box draws at several lines of one sample().
        begins, known.line = line <= known.line or not known.line, line
        known.actions += begins
        if known.actions == ENOUGH:  # the next draws cost what they did
            del _unseeded[number]
            _journal(watched, space)
    except Exception as error:
        watched.hook.complain(type(error).__name__)


def _journal(watched: WatchedSpaces, space: object) -> None:
    """Journal the line that draws, for each instance whose actions these are."""
    frame = _script(watched, loaded.caller(sys._getframe(1)))
    if frame is None:
        return
    code = frame.f_code
    place = (code.co_filename, frame.f_lineno, getattr(code, "co_qualname", code.co_name))
    rows = [known for known in watched.rows() if _action_space(known()) is space]
    host = None if rows else _vectorizer(watched, space, frame)
    hosted = {id(each) for each in instances_of(watched, host)}
    for known in rows or [known for known in watched.rows() if id(known()) in hosted]:
        row = known.start // WIDTH - FIRST + 1
        key = (os.getpid(), watched.name, row)
        if key not in _journaled:
            _journaled.add(key)
            keys = {"page": watched.name, "row": row, "message": ACTION_SPACE}
            by = "" if host is None else type(host).__name__
            watched.tell("draws", frame=frame_of(place), by=by, **keys)


def _script(watched: WatchedSpaces, frame: Optional[FrameType]) -> Optional[FrameType]:
    """The user's frame that calls sample(); None where it is a library that does, or an environment
    or a wrapper, which may draw for something else.
    """
    while frame is not None and loaded.module_of(frame).startswith(tuple(_libraries)):
        frame = frame.f_back
    if frame is None or not watched.is_users(frame.f_code.co_filename):
        return None
    caller: Optional[FrameType] = frame
    for _ in range(MOST_FRAMES):
        if caller is None:
            break
        if caller.f_code.co_varnames[:1] == (SELF,):
            owner = caller.f_locals.get(SELF)
            if watched.follows(owner) or watched.wraps(type(owner)):
                return None
        caller = caller.f_back
    return frame


def _vectorizer(watched: WatchedSpaces, space: object, frame: FrameType) -> object:
    """The vectorizer with this space of actions, for all of its instances: a variable of the frame
    that draws, or an attribute of the object whose method it runs.
    """
    known = (*frame.f_locals.values(), *loaded.attributes(self_of(frame)).values())
    return next(
        (
            each
            for each in known
            if loaded.own(each, ACTION_SPACE) is space and instances_of(watched, each)
        ),
        None,
    )


def _action_space(instance: object) -> object:
    """The space of actions of an instance, or of its class; None where code would have to run."""
    owners = (
        vars(each) for each in (instance, *type(instance).__mro__) if hasattr(each, "__dict__")
    )
    return next((own[ACTION_SPACE] for own in owners if ACTION_SPACE in own), None)
