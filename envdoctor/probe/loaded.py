"""Modules, frames and attributes that are there already, without importing or building anything."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any, Dict, Optional


def module(name: str) -> Any:
    """A module that was imported; None where it was not."""
    return sys.modules.get(name)


def module_of(frame: object) -> str:
    """The name of the module whose code a frame runs; empty where it has none."""
    return str(getattr(frame, "f_globals", {}).get(NAME) or "")


def caller(frame: Optional[FrameType], module: str = "envdoctor.probe.") -> Optional[FrameType]:
    """The innermost frame from this one on that runs no code of a module, or of those whose names
    begin so: of the probe's, where none is named. None where there is none.
    """
    while frame is not None and module_of(frame).startswith(module):
        frame = frame.f_back
    return frame


def own(thing: object, name: str) -> Any:
    """Return what an object or a class has itself under a name: no attribute of its class or its
    bases, none that is made when it is asked for. None where there is none.
    """
    return getattr(thing, "__dict__", {}).get(name)


def attributes(obj: object) -> Dict[str, object]:
    """The attributes that an object has itself. No code of the user's runs for it."""
    try:
        values = object.__getattribute__(obj, "__dict__")
    except AttributeError:
        return {}
    return values if type(values) is dict else {}


WRAPPED = ("env", "venv", "_env")  # where wrappers and vectorizers keep what they wrap
MOST_LAYERS = 32


def wrapped(thing: object) -> object:
    """Return what an object has itself where wrappers keep what they wrap. None where it has
    nothing there.
    """
    values = attributes(thing)
    return next((values[name] for name in WRAPPED if values.get(name) is not None), None)


NAME = "__name__"
