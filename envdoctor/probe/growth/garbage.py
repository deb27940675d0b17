"""The make-up of garbage: the types that wait for the collector, and a cycle that keeps them until
then. Which lines make it, `allocations.py` says.
"""

from __future__ import annotations

import gc
from collections import deque
from typing import Callable, Container, Dict, List, Optional

from envdoctor.probe.growth.chains import chain, module_of, type_name
from envdoctor.probe.growth.settle import settle

MAX_TYPES = 5
MAX_TRIED = 8  # objects from which a way back to themselves is looked for
MAX_SEEN = 20_000  # objects on such a way

PLAIN = ("builtins", "collections", "types")


def garbage(run: Callable[[], int]) -> Dict[str, object]:
    """The fact (`model.facts.growth.Garbage`) but for its lines: what `run`, which says how many
    cycles it ran, leaves to the collector, how one of these objects leads back to itself
    (`sick.Frame.after.before`; "" where no way was found); whether the collector is on, and after
    how many objects it runs.
    """
    description: Dict[str, object] = {}
    collecting = gc.isenabled()
    cycles = look_at_garbage(run, lambda objects: description.update(_described(objects)))
    return {
        "cycles": cycles,
        **description,
        "enabled": collecting,
        "threshold": gc.get_threshold()[0],
    }


def look_at_garbage(run: Callable[[], int], look: Callable[[List[object]], None]) -> int:
    """Let `look` see what `run` leaves to the collector, before that is freed; what `run` said."""
    settle()
    collecting = gc.isenabled()
    gc.disable()
    try:
        cycles = run()
        objects = _unreachable()
    finally:
        if collecting:
            gc.enable()
    look(objects)
    del objects[:]
    settle()
    return cycles


def _unreachable() -> List[object]:
    """Return the objects that the collector finds, kept for a moment instead of being freed."""
    flags, kept = gc.get_debug(), len(gc.garbage)
    gc.set_debug(flags | gc.DEBUG_SAVEALL)
    try:
        gc.collect()
    finally:
        gc.set_debug(flags)
    objects = gc.garbage[kept:]
    del gc.garbage[kept:]
    return objects


def _described(objects: List[object]) -> Dict[str, object]:
    counts: Dict[type, int] = {}
    for obj in objects:
        counts[type(obj)] = counts.get(type(obj), 0) + 1
    kinds = sorted(counts, key=lambda kind: (module_of(kind) in PLAIN, -counts[kind]))[:MAX_TYPES]
    tried = [next(obj for obj in objects if type(obj) is kind) for kind in kinds]
    inside = {id(obj) for obj in objects}
    ways = (way_back(obj, inside) for obj in tried[:MAX_TRIED])
    return {
        "types": [{"type": type_name(kind), "count": counts[kind]} for kind in kinds],
        "chain": next(filter(None, ways), ""),
    }


def way_back(start: object, inside: Container[int]) -> str:
    """Return the way from an object back to itself through others that wait, or nothing."""
    path = cycle_of(start, inside)
    if path is None:
        return ""
    text = chain(path)
    root = "<%s>" % type(start).__name__
    return type_name(type(start)) + text[len(root) :] if text.startswith(root) else text


def cycle_of(start: object, inside: Container[int]) -> Optional[List[object]]:
    """The shortest way, breadth first: [start, ..., start]."""
    came: Dict[int, object] = {}
    waiting = deque([start])
    while waiting and len(came) < MAX_SEEN:
        obj = waiting.popleft()
        for held in gc.get_referents(obj):
            if held is start:
                return _path(start, obj, came)
            if id(held) in inside and id(held) not in came:
                came[id(held)] = obj
                waiting.append(held)
    return None


def _path(start: object, last: object, came: Dict[int, object]) -> List[object]:
    back: List[object] = []
    while last is not start:
        back.append(last)
        last = came[id(last)]
    return [start, *reversed(back), start]
