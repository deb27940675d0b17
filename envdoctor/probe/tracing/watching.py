"""Reports of who builds and who closes instances of the environment's own class: also those that
it builds and drops by itself.
"""

from __future__ import annotations

import functools
import sys
from typing import TYPE_CHECKING, Callable, Dict, List, Optional

from envdoctor.probe.journal import Journal
from envdoctor.probe.tracing import instrument
from envdoctor.probe.wrappers import innermost

if TYPE_CHECKING:
    from types import FrameType


def watch_class(
    environment: object, journal: Journal, is_users: Callable[[str], bool]
) -> Callable[[], None]:
    """Journal `inner made` and `inner closed` whenever the constructor or close() of the innermost
    object's class runs. Returns a function that ends the watch. `is_users` tells the subject's own
    files.
    """
    return _watch(type(innermost(environment)), journal, is_users)


def watch_inside(
    environment: object, journal: Journal, is_users: Callable[[str], bool]
) -> Optional[Callable[[], None]]:
    """Watch likewise the class of the environment that one of DI-engine's keeps, where it has
    built it by now.
    """
    real = instrument.real_of(innermost(environment))
    return None if real is None else _watch(type(real), journal, is_users)


def _watch(kind: object, journal: Journal, is_users: Callable[[str], bool]) -> Callable[[], None]:
    def built(made: object) -> None:
        journal.write(
            "inner",
            what="made",
            base=instrument.serial_of(made),
            id=id(made),
            frame=_users_frame(is_users),
        )

    def closed(instance: object) -> None:
        journal.write("inner", what="closed", base=instrument.serial_of(instance), id=id(instance))

    stops = [tell(kind, "__init__", built, after=True), tell(kind, "close", closed, after=False)]
    return functools.partial(_stop, stops)


def tell(
    kind: object, name: str, tell: Callable[[object], None], after: bool
) -> Callable[[], None]:
    """Have a method of a class report its calls, before or after it ran. Returns a function
    that puts back what was there.
    """
    own, inherited = kind.__dict__.get(name), getattr(kind, name, None)
    if inherited is None:
        return _nothing

    @functools.wraps(inherited)
    def method(self: object, *args: object, **kwargs: object) -> object:
        if not after:
            tell(self)
        result = inherited(self, *args, **kwargs)
        if after:
            tell(self)
        return result

    def stop() -> None:
        if own is not None:
            setattr(kind, name, own)
        else:
            delattr(kind, name)

    try:
        setattr(kind, name, method)
    except (AttributeError, TypeError):  # a class written in C
        return _nothing
    return stop


def _stop(stops: List[Callable[[], None]]) -> None:
    for stop in stops:
        stop()


def _nothing() -> None:
    pass


def _users_frame(is_users: Callable[[str], bool]) -> Optional[Dict[str, object]]:
    """The innermost line of the subject's own that called the constructor, which may itself be
    one of its own.
    """
    frame: Optional[FrameType] = sys._getframe(3)
    while frame is not None and (
        frame.f_code.co_name == "__init__" or not is_users(frame.f_code.co_filename)
    ):
        frame = frame.f_back
    if frame is None:
        return None
    code = frame.f_code
    return {
        "file": code.co_filename,
        "line": frame.f_lineno,
        "function": getattr(code, "co_qualname", code.co_name),
    }
