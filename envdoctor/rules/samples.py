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


CYCLES = (7, 7, 7, 14, 28, 56, 112)  # of the blocks that a growing environment is followed through


def block(cycles: int, **rises: int) -> Trace:
    """A trace of one block of cycles in which meters rose."""
    return played_block(cycles, rises)


def played_block(
    cycles: int, rises: Mapping[str, int], name: str = "leak", steps: int = 20, resets: int = 1, uncollected: Mapping[str, int] | None = None
) -> Trace:
    """A trace of one block of whole cycles; `uncollected` is what waited for the garbage collector at its end."""
    before = dict.fromkeys(rises, 1000)
    after = {meter: 1000 + rise for meter, rise in rises.items()}
    done = {"creates": cycles, "resets": cycles * resets, "steps": cycles * resets * steps, "renders": 0, "seconds": 0.1,
            "before": before, "after": after}  # fmt: skip
    if uncollected is not None:
        waiting = {meter: after.get(meter, 1000) + rise for meter, rise in uncollected.items()}
        done["uncollected"] = {"before": before, "after": waiting}
    script = f"block:{cycles}x{resets}x{steps}"
    return trace(verb(script, block=done), name=name, script=script)


def growing(**rates: float) -> tuple[Trace, ...]:
    """A hunt through which meters rose by so much a cycle."""
    return tuple(played_block(cycles, {meter: int(rate * cycles) for meter, rate in rates.items()}) for cycles in CYCLES)


DESIGNS = ((7, 1, 0), (7, 1, 10), (7, 1, 30), (7, 3, 0), (7, 3, 10), (14, 1, 0))  # creates, resets in each, steps in each reset


def designs(meter: str, create: float = 0, reset: float = 0, step: float = 0) -> tuple[Trace, ...]:
    """The blocks that tell the operations apart, for one meter that rises by so much at each call."""
    rises = [creates * (create + resets * (reset + steps * step)) for creates, resets, steps in DESIGNS]
    return tuple(
        played_block(creates, {meter: int(rise)}, "leak-design", steps, resets)
        for (creates, resets, steps), rise in zip(DESIGNS, rises, strict=True)
    )


def record(file: str, line: int, function: str, count: int = 101, size: int = 64, allocator: str = "PYMALLOC_MALLOC") -> dict[str, Any]:
    """What memray saw kept over 101 cycles, at one line of the user's."""
    frames = [{"file": file, "line": line, "function": function}]
    return {"count": count, "bytes": count * size, "per_cycle": count / 101, "allocator": allocator, "frames": frames, "user": 0}


def kept_at(*records: Mapping[str, Any]) -> Trace:
    """The pass that names lines."""
    return trace(fact("allocations", {"cycles": 101, "native": False, "mode": "aggregated", "records": list(records)}), name="leak-memray")


def suspected(types: Mapping[str, int], chain: str = "", cache: str = "") -> Trace:
    """The pass that names types and holders."""
    value = {
        "types": [{"type": name, "grew": grew} for name, grew in types.items()],
        "holders": [{"type": name, "chain": chain} for name in types if chain],
        "caches": [{"what": cache, "size": 70, "maxsize": None, "grew": 7, "cleared": False}] if cache else [],
    }
    return trace(fact("suspects", value), name="leak-suspects")


def compared(fact_key: str, differs: bool = True, name: str = "life", **told: Any) -> Trace:
    """A trace in which two trajectories were compared; `told` overrides parts of the difference, or says of which instance."""
    place = {key: told.pop(key) for key in ("manager", "start_method", "slot", "seed", "seeds_matter") if key in told}
    difference = {"call": "reset", "step": 0, "key": "observation", "what": "value", "place": None, "values": ["1", "2"], **told}
    return trace(fact(fact_key, {"calls": 21, "unknown": [], "difference": difference if differs else None, **place}), name=name)


def random_resets(source: str, *states: str, name: str = "reuse", **where: Any) -> Trace:
    """A trace of resets; `states` are the letters of a random generator's states before and after each."""
    return trace(*random_events(source, *states, **where), name=name)


def random_events(source: str, *states: str, **where: Any) -> tuple[Event, ...]:
    """The instance events of such resets."""
    return tuple(
        instance("reset", resets=number, random={"before": {source: state[0]}, "after": {source: state[1]}}, **where)
        for number, state in enumerate(states, 1)
    )
