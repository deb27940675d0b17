"""Compilations by JAX in a cycle, and their lines: a step() that compiles anew at each call is
given new functions each time, and JAX keeps what it compiled.
"""

from __future__ import annotations

import sys
from typing import Callable, Dict, List, Tuple

from envdoctor.probe import loaded
from envdoctor.probe.ownership import own_place

EVENT = "/jax/core/compile/backend_compile_duration"
MAX_LINES = 3


def compilations(run: Callable[[], None], is_own: Callable[[str], bool]) -> List[Dict[str, object]]:
    """[{"file", "line", "function", "count"}] of what is compiled while `run` runs, the most often
    first; nothing, and nothing is run, where JAX is not there.
    """
    monitoring = loaded.module("jax.monitoring")
    register = getattr(monitoring, "register_event_duration_secs_listener", None)
    if register is None:
        return []
    counts: Dict[Tuple[str, int, str], int] = {}
    listening = [True]

    def note(event: str, *_seconds: object, **_more: object) -> None:
        if event == EVENT and listening[0]:
            place = own_place(sys._getframe(1), is_own)
            if place is not None:
                counts[place] = counts.get(place, 0) + 1

    register(note)
    try:
        run()
    finally:
        listening[0] = False
        _leave(note)
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MAX_LINES]
    return [
        {"file": file, "line": line, "function": function, "count": count}
        for (file, line, function), count in ordered
    ]


def _leave(listener: object) -> None:
    """Take the listener out again, where this version of JAX can."""
    inside = loaded.module("jax._src.monitoring")
    leave = getattr(inside, "_unregister_event_duration_listener_by_callback", None)
    if leave is not None:
        leave(listener)
