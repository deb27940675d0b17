"""Garbage collections that the environment forces: who asks for them, how often, how long they
take, and life without them.
"""

from __future__ import annotations

import contextlib
import gc
import sys
import threading
import time
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Tuple

from envdoctor.probe.ownership import Ownership, is_ours

if TYPE_CHECKING:
    from types import FrameType


_is_really_on, _enable, _disable = gc.isenabled, gc.enable, gc.disable

MAX_PLACES = 5  # lines of code that are reported

Place = Tuple[str, int, str]  # file, line, function


class Collections:
    """The collections of one verb: {place: [how many, seconds]}. While it listens the
    automatic ones are off, however slow the environment is, so each was asked for.
    """

    def __init__(self, ownership: Ownership) -> None:
        self.places: Dict[Place, List[float]] = {}
        self._ownership = ownership
        self._thread = threading.get_ident()
        self._place: Place = ("", 0, "")
        self._began = 0.0

    def __call__(self, phase: str, _info: object) -> None:
        """Count a collection, as a member of gc.callbacks. It is left out where the environment has
        switched the automatic ones on again.
        """
        if _is_really_on() or threading.get_ident() != self._thread:
            return
        if phase == "start":
            self._place = self._asker(sys._getframe(1))
            self._began = time.thread_time()
            return
        seconds = time.thread_time() - self._began
        count_and_seconds = self.places.setdefault(self._place, [0, 0.0])
        count_and_seconds[0] += 1
        count_and_seconds[1] += seconds

    def _asker(self, frame: Any) -> Place:
        """The innermost frame that is the subject's own; else the one that called."""
        caller = frame
        while frame is not None and not is_ours(frame.f_code.co_filename):
            if self._ownership.is_users(frame.f_code.co_filename):
                return _place(frame)
            frame = frame.f_back
        return _place(caller)

    def described(self) -> List[Dict[str, object]]:
        """For the journal: [{file, line, function, count, seconds}], the most frequent first."""
        places = sorted(self.places.items(), key=lambda item: -item[1][0])[:MAX_PLACES]
        return [
            {
                "file": file,
                "line": line,
                "function": function,
                "count": int(count),
                "seconds": seconds,
            }
            for (file, line, function), (count, seconds) in places
        ]


def _place(frame: FrameType) -> Place:
    code = frame.f_code
    return code.co_filename, frame.f_lineno, getattr(code, "co_qualname", code.co_name)


@contextlib.contextmanager
def listening(ownership: Ownership) -> Iterator[Collections]:
    """Note every collection that is asked for meanwhile."""
    collections = Collections(ownership)
    with held_off():
        gc.callbacks.append(collections)
        try:
            yield collections
        finally:
            gc.callbacks.remove(collections)


@contextlib.contextmanager
def held_off() -> Iterator[None]:
    """Within, no automatic collection runs, and the environment does not see that. Afterwards they
    are on or off as they were, or as the environment wants them.
    """
    switch = CollectionSwitch(gc.isenabled())
    gc.disable()
    try:
        with switch.answering():
            yield
    finally:
        if switch.is_on:
            gc.enable()


class CollectionSwitch:
    """Automatic collections as the environment knows them while they are off for the probe."""

    def __init__(self, is_on: bool) -> None:
        self.is_on = is_on

    @contextlib.contextmanager
    def answering(self) -> Iterator[None]:
        """Answer in the place of the functions of `gc` that ask for them, or change them."""
        ours = {"isenabled": self._isenabled, "enable": self._enable, "disable": self._disable}
        originals = {name: getattr(gc, name) for name in ours}
        for name, function in ours.items():
            setattr(gc, name, function)
        try:
            yield
        finally:
            for name, function in originals.items():
                if getattr(gc, name) == ours[name]:  # else other code put its own there
                    setattr(gc, name, function)

    def _isenabled(self) -> bool:
        return self.is_on

    def _enable(self) -> None:
        self.is_on = True
        _enable()

    def _disable(self) -> None:
        self.is_on = False
        _disable()


def refuse() -> Callable[[], None]:
    """From here on, gc.collect() does nothing unless it is the probe that asks. Returns a
    function that ends that.
    """
    collect = gc.collect

    def refused(*arguments: Any, **named: Any) -> int:
        return collect(*arguments, **named) if is_ours(sys._getframe(1).f_code.co_filename) else 0

    holders = list(_holders(collect))
    for module, name in holders:
        setattr(module, name, refused)

    def permit() -> None:
        for module, name in holders:
            setattr(module, name, collect)

    return permit


def _holders(function: object) -> Iterator[Tuple[object, str]]:
    """The modules that have it, gc first of all, and what they call it: `from gc import
    collect` makes one more.
    """
    for module in list(sys.modules.values()):
        for name, value in list(getattr(module, "__dict__", {}).items()):
            if value is function:
                yield module, name
