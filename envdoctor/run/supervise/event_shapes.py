"""What a line of a journal has to look like to count as an event.

The probe shares its process with code that may write anywhere, and a process that is killed leaves
half a line. Rules, reporters and the watch read events as `model/events.py` tells them; other lines
are not events, and are left out before they are read.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

Shape = Callable[[Any], bool]

MAX_WHOLE = 1 << 64  # process ids and addresses are less


def text(value: Any) -> bool:
    """A text."""
    return isinstance(value, str)


def whole(value: Any) -> bool:
    """A whole number of a size that processes, addresses and counts have."""
    return isinstance(value, int) and not isinstance(value, bool) and -MAX_WHOLE < value < MAX_WHOLE


def number(value: Any) -> bool:
    """A number that can be reckoned with."""
    return whole(value) or (isinstance(value, float) and math.isfinite(value))


def mapping(value: Any) -> bool:
    """A JSON object: its keys are texts."""
    return isinstance(value, dict)


def anything(value: Any) -> bool:  # noqa: ARG001
    """Any JSON value."""
    return True


def perhaps(shape: Shape) -> Shape:
    """Null, or that."""
    return lambda value: value is None or shape(value)


def each(shape: Shape) -> Shape:
    """An array of those."""
    return lambda value: isinstance(value, list) and all(shape(item) for item in value)


def having(**keys: Shape) -> Shape:
    """An object that has these keys."""
    return lambda value: (
        isinstance(value, dict)
        and all(key in value and shape(value[key]) for key, shape in keys.items())
    )


def allowing(**keys: Shape) -> Shape:
    """An object in which these keys, where it has them, hold that."""
    return lambda value: (
        isinstance(value, dict)
        and all(shape(value[key]) for key, shape in keys.items() if value.get(key) is not None)
    )


def texts_by_key(value: Any) -> bool:
    """An object of texts."""
    return mapping(value) and all(map(text, value.values()))


def sensors(value: Any) -> bool:
    """A reading: each sensor's number, or what it saw by key."""
    return mapping(value) and all(
        number(one) or (mapping(one) and all(map(text, one.values()))) for one in value.values()
    )


FRAME = having(file=text, line=whole)


def error(value: Any) -> bool:
    """An error value: see `model/events.py`."""
    if not having(type=text, message=text, frames=each(FRAME))(value):
        return False
    index = value.get("user")
    return index is None or (whole(index) and 0 <= index < len(value["frames"]))


COMMON = {"t": number, "pid": whole}

#: Keys without which an event of a kind means nothing.
NEEDED: Mapping[str, Mapping[str, Shape]] = {
    "verb": {"verb": text, "state": text},
    "reading": {"life": whole, "point": text, "sensors": sensors},
    "instance": {"what": text, "serial": whole, "id": perhaps(whole), "base": perhaps(whole)},
    "inner": {"what": text, "base": whole, "id": whole},
    "unheard": {"what": text, "where": text, "error": perhaps(error)},
    "taking": {"what": text, "target": text},
    "effect": {"sensor": text, "key": text},
    "workers": {"pids": each(whole)},
    "worker-exit": {"pid_of_worker": whole, "code": perhaps(whole)},
    "fact": {"key": text, "value": anything},
    "watched": {"what": text},
    "scenario": {"state": text},
}

WHOLE = {kind: {**COMMON, **shapes} for kind, shapes in NEEDED.items()}

#: Keys that an event may have, and what they hold then.
OPTIONAL: Mapping[str, Shape] = {
    "at": perhaps(whole),
    "seconds": number,
    "steps": whole,
    "step": whole,
    "episode": whole,
    "episodes": each(having(step=whole)),
    "instances": whole,
    "bound": text,
    "cycles": whole,
    "cycle_seconds": number,
    "create_seconds": number,
    "reset_seconds": number,
    "step_seconds": number,
    "block": having(before=mapping, after=mapping),
    "collections": each(FRAME),
    "error": perhaps(error),
    "id": perhaps(whole),
    "base": perhaps(whole),
    "parent": perhaps(lambda value: isinstance(value, bool)),
    "resets": whole,
    "type": text,
    "random": mapping,
    "frame": perhaps(FRAME),
    "pid_of_worker": whole,
    "dirty": each(text),
}

WORKER = having(pid=whole, uss=whole, pss=whole, rss=whole)
ON_A_GPU = having(pid=whole, gpu=whole, name=text, total=whole, free=whole, used=whole)


def comparison(value: Any) -> bool:
    """What comparing two runs gave."""
    return (
        mapping(value)
        and each(text)(value.get("unknown", []))
        and perhaps(mapping)(value.get("difference"))
    )


#: Facts that more than the rules read; a rule that stumbles over another one says so, and costs
#: no report.
FACTS: Mapping[str, Shape] = {
    "survey": allowing(frameworks=texts_by_key, lacks=each(text), managers=mapping),
    "described": allowing(lacks=each(text)),
    "refused": text,
    "sources": mapping,
    "sensitivity": lambda value: (
        having(tier=text, reasons=each(text))(value)
        and allowing(sees=mapping, missing=mapping)(value)
    ),
    "side-by-side": allowing(alone=mapping, instances=each(mapping)),
    "suspects": mapping,
    "allocations": mapping,
    "garbage": mapping,
    "handles": each(mapping),
    **dict.fromkeys(
        ("same-seed", "reseeded", "elsewhere", "elsewhere-alike", "mirrored"), comparison
    ),
    "replayed": (
        lambda value: comparison(value) and having(manager=text, start_method=perhaps(text))(value)
    ),
    "worker-memory": each(WORKER),
    "gpu-memory": each(ON_A_GPU),
    "running": having(verb=text, running=mapping),
    "last-step": having(episode=whole, step=whole),
    "ended-alone": having(manager=text, start_method=perhaps(text), scenario=text),
}


def is_event(value: Any) -> bool:
    """Whether a JSON value is an event that can be read as its kind is read."""
    if not isinstance(value, dict) or not isinstance(value.get("event"), str):
        return False
    needed = WHOLE.get(value["event"], COMMON)
    for key, shape in needed.items():
        if key not in value or not shape(value[key]):
            return False
    for key, entry in value.items():
        if key not in needed and key in OPTIONAL and not OPTIONAL[key](entry):
            return False
    return value["event"] != "fact" or FACTS.get(value["key"], anything)(value["value"])
