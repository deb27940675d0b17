"""The vectorizer that the code which runs belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, Optional

from envdoctor.probe import loaded
from envdoctor.probe.live.builtins_replaced import FILE

if TYPE_CHECKING:
    from types import FrameType


SELF = "self"
WORKERS = ""  # among the classes of a vectorizer: functions, which have none


def vectorizer_of_code(known: object, frame: Optional[FrameType]) -> str:
    """The vectorizer whose code a frame runs. Where a module has several, that of the class of
    `self`, or of the worker's function that made it.
    """
    if not isinstance(known, dict):
        return str(known)
    name, module = "", loaded.module_of(frame)
    while frame is not None:
        if frame.f_code.co_filename == FILE:  # ours, around a method of theirs
            frame = frame.f_back
            continue
        if loaded.module_of(frame) != module:
            break
        name = known.get(frame.f_code.co_name) or name or _by_class(known, frame)
        frame = frame.f_back
    return name or known.get(WORKERS, "")


def _by_class(known: Dict[str, str], frame: FrameType) -> str:
    if frame.f_code.co_varnames[:1] != (SELF,):
        return ""
    names = (each.__name__ for each in type(frame.f_locals.get(SELF)).__mro__)
    return next((known[name] for name in names if name in known), "")
