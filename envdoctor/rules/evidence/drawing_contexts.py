"""Drawing contexts without a window: which one an error comes from, and what an instance with one
takes.
"""

from __future__ import annotations

import re

from envdoctor.analysis.drawing import memory_of_drawing
from envdoctor.model.units import size
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.exit_errors import Complaint

_ERROR = re.compile(r"\b(EGL|GL|OSMesa)Error\b")
_LIBRARY = re.compile(r"-packages/(?P<library>\w+)/(?:\w+/)*(?P<kind>egl|osmesa)\b")
_KINDS = {"egl": "EGL", "osmesa": "OSMesa"}


def context_of(complaint: Complaint) -> str:
    """`the EGL context of mujoco`: what raised an error because it was still open; empty for
    another error.
    """
    if not _ERROR.search(complaint.error.partition(":")[0]):
        return ""
    places = (_LIBRARY.search(frame.file) for frame in complaint.frames)
    match = next((place for place in places if place), None)
    if match is None:
        return ""
    library, kind = match.groups()
    return f"the {_KINDS[kind]} context of {library}"


def drawing_cost(view: View) -> str:
    """`107.6 MiB`: the native memory of an open instance that has drawn, in render() or with each
    step; empty where it is little or was not read.
    """
    life = view.last_life()
    number = memory_of_drawing(life) if life else 0
    return size(number) if number else ""
