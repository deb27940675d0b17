"""Drawing contexts without a window: which one an error comes from, and what an instance with one
takes.
"""

from __future__ import annotations

import re

from envdoctor.model.units import size
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.exit_errors import Complaint

HEAVY = 2**25  # bytes from which on what an instance takes is worth a word
#: Where it is read after an instance has drawn.
DRAWN = ("rendered", "stepped")

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
    found = next((place for place in places if place), None)
    if found is None:
        return ""
    library, kind = found.groups()
    return f"the {_KINDS[kind]} context of {library}"


def taken_by_drawing(view: View) -> str:
    """`107.6 MiB`: the native memory of an open instance that has drawn, in render() or with each
    step; empty where it is little or was not read.
    """
    life = view.last_life()
    changes = [life.change("native-heap", "before", point) for point in DRAWN] if life else []
    taken = max((change for change in changes if change is not None), default=0)
    return size(taken) if taken >= HEAVY else ""
