"""Modules, frames and attributes that are there already, without importing or building anything."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any, Optional


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


NAME = "__name__"
