"""Small traces for the rules' examples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envdoctor.model.events import Event
from envdoctor.model.scenario import DIRECT, Scenario
from envdoctor.model.trace import FINISHED, Outcome, Trace
from envdoctor.rules.view import View

LIFE = "make reset step:20 close drop"

Reading = Mapping[str, Any]


def trace(*events: Event, name: str = "life", script: str = LIFE, outcome: str = FINISHED, **fields: Any) -> Trace:
    """A trace of a scenario; `fields` are split between scenario (manager, start_method, options, control) and outcome."""
    of_scenario = {key: fields.pop(key) for key in ("manager", "start_method", "options", "control", "workers") if key in fields}
    return Trace(Scenario(name, script, **of_scenario), Outcome(outcome, **fields), tuple(events))


def verb(name: str, state: str = "ended", at: int = 0, **keys: Any) -> Event:
    """A verb event."""
    return {"event": "verb", "t": 0.0, "pid": 1, "at": at, "verb": name, "state": state, "seconds": 0.0, **keys}


def reading(point: str, sensors: Reading, life: int = 0) -> Event:
    """A reading event."""
    return {"event": "reading", "t": 0.0, "pid": 1, "point": point, "life": life, "sensors": sensors}


def instance(what: str, serial: int = 1, pid: int = 1, **keys: Any) -> Event:
    """An instance event, in the parent unless told otherwise."""
    return {"event": "instance", "t": 0.0, "pid": pid, "what": what, "serial": serial, "id": serial, "base": serial, "parent": True, **keys}


def fact(key: str, value: Any) -> Event:
    """A fact event."""
    return {"event": "fact", "t": 0.0, "pid": 1, "key": key, "value": value}


def raised(kind: str = "RuntimeError", message: str = "no", file: str = "env.py", line: int = 1, function: str = "close") -> dict[str, Any]:
    """An error value with one frame of the user's."""
    return {"type": kind, "message": message, "frames": [{"file": file, "line": line, "function": function, "text": ""}], "user": 0}


def life_trace(name: str = "life", **points: Reading) -> Trace:
    """A trace of one whole life: verbs that ended well, and a reading for each point given by name."""
    verbs = [verb(word, at=at) for at, word in enumerate(LIFE.split())]
    return trace(*verbs, *(reading(point, sensors) for point, sensors in points.items()), name=name)


def sensor_life(sensor: str, **points: Any) -> Trace:
    """A trace of one whole life in which one sensor was read."""
    return life_trace("life", **{point: {sensor: value} for point, value in points.items()})


def direct_view(*traces: Trace, **survey: Any) -> View:
    """A view of traces without a manager."""
    return View("Sick-v0", DIRECT, None, traces, {"env_class": "sick.Sick", **survey})


def vector_view(*traces: Trace, manager: str = "gymnasium-async", start_method: str | None = "spawn", **survey: Any) -> View:
    """A view of traces under a manager."""
    return View("Sick-v0", manager, start_method, traces, {"env_class": "sick.Sick", **survey})
