"""Small traces for the rules' examples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from envdoctor.model.events import Event
from envdoctor.model.facts import Known
from envdoctor.model.scenario import DIRECT, EPISODE, Scenario
from envdoctor.model.trace import FINISHED, Outcome, Trace
from envdoctor.rules.engine.view import View

LIFE = "make reset step:20 close drop"
WHOLE_EPISODE = "make reset episode:2000 close drop"

Reading = Mapping[str, object]


def trace(
    *events: Event, name: str = "life", script: str = "", outcome: str = FINISHED, **fields: Any
) -> Trace:
    """A trace of a scenario; `fields` are split between scenario (manager, start_method, options,
    control) and outcome. Without a script it is a life, of a whole episode where the name says so.
    """
    script = script or (WHOLE_EPISODE if name.startswith(EPISODE) else LIFE)
    of_scenario = {
        key: fields.pop(key)
        for key in ("manager", "start_method", "options", "control", "workers")
        if key in fields
    }
    return Trace(Scenario(name, script, **of_scenario), Outcome(outcome, **fields), tuple(events))


def verb(name: str, state: str = "ended", at: int = 0, **keys: object) -> Event:
    """A verb event."""
    return {
        "event": "verb",
        "t": 0.0,
        "pid": 1,
        "at": at,
        "verb": name,
        "state": state,
        "seconds": 0.0,
        **keys,
    }


def reading(point: str, sensors: Reading, life: int = 0) -> Event:
    """A reading event."""
    return {
        "event": "reading",
        "t": 0.0,
        "pid": 1,
        "point": point,
        "life": life,
        "sensors": sensors,
    }


def instance(what: str, serial: int = 1, pid: int = 1, **keys: object) -> Event:
    """An instance event, in the parent unless told otherwise."""
    return {
        "event": "instance",
        "t": 0.0,
        "pid": pid,
        "what": what,
        "serial": serial,
        "id": serial,
        "base": serial,
        "parent": True,
        **keys,
    }


def fact(key: str, value: Any) -> Event:
    """A fact event."""
    return {"event": "fact", "t": 0.0, "pid": 1, "key": key, "value": value}


def raised(
    kind: str = "RuntimeError",
    message: str = "no",
    file: str = "env.py",
    line: int = 1,
    function: str = "close",
) -> dict[str, object]:
    """An error value with one frame of the user's."""
    return {
        "type": kind,
        "message": message,
        "frames": [{"file": file, "line": line, "function": function, "text": ""}],
        "user": 0,
    }


def life_trace(name: str = "life", **points: Reading) -> Trace:
    """A trace of one whole life: verbs that ended well, and a reading for each point given by
    name.
    """
    verbs = [verb(word, at=at) for at, word in enumerate(LIFE.split())]
    return trace(*verbs, *(reading(point, sensors) for point, sensors in points.items()), name=name)


def sensor_life(sensor: str, **points: object) -> Trace:
    """A trace of one whole life in which one sensor was read."""
    return life_trace("life", **{point: {sensor: value} for point, value in points.items()})


def ended_afterwards(life: Trace, seconds: float, sensor: str, *keys: str) -> Trace:
    """Return the life with things that ended by themselves after close()."""
    ended = {sensor: dict.fromkeys(keys, "")}
    value = {"life": 0, "seconds": seconds, "ended": ended}
    return replace(life, events=(*life.events, fact("afterwards", value)))


def known(survey: Mapping[str, object]) -> Known:
    """Decode a survey from its form in the journal."""
    return Known.decode({"env_class": "sick.Sick", **survey})


def direct_view(*traces: Trace, **survey: object) -> View:
    """A view of traces without a manager."""
    return View("Sick-v0", DIRECT, None, traces, known(survey))


def vector_view(
    *traces: Trace,
    manager: str = "gymnasium-async",
    start_method: str | None = "spawn",
    **survey: object,
) -> View:
    """A view of traces under a manager."""
    return View("Sick-v0", manager, start_method, traces, known(survey))


CYCLES = (7, 7, 7, 14, 28, 56, 112)  # of the blocks that a growing environment is followed through


def block(cycles: int, **rises: int) -> Trace:
    """A trace of one block of cycles in which meters rose."""
    return played_block(cycles, rises)


def played_block(
    cycles: int,
    rises: Mapping[str, int],
    name: str = "leak",
    steps: int = 20,
    resets: int = 1,
    uncollected: Mapping[str, int] | None = None,
    garbage: int = 0,
) -> Trace:
    """A trace of one block of whole cycles; `uncollected` is what waited for the garbage
    collector at its end, in `garbage` objects.
    """
    done = _done(cycles, resets, steps, rises)
    if uncollected is not None:
        after = done["after"]
        waiting = {meter: after.get(meter, 1000) + rise for meter, rise in uncollected.items()}
        done["uncollected"] = {"before": done["before"], "after": waiting, "garbage": garbage}
    script = f"block:{cycles}x{resets}x{steps}"
    return trace(verb(script, block=done), name=name, script=script)


def _done(cycles: int, resets: int, steps: int, rises: Mapping[str, int]) -> dict[str, Any]:
    """Return a block in its form in the journal."""
    return {
        "creates": cycles,
        "resets": cycles * resets,
        "steps": cycles * resets * steps,
        "renders": 0,
        "seconds": 0.1,
        "before": dict.fromkeys(rises, 1000),
        "after": {meter: 1000 + rise for meter, rise in rises.items()},
    }


def growing(**rates: float) -> tuple[Trace, ...]:
    """A leak check through which meters rose by so much a cycle."""
    return tuple(
        played_block(cycles, {meter: int(rate * cycles) for meter, rate in rates.items()})
        for cycles in CYCLES
    )


# Creates, resets in each, steps in each reset.
DESIGNS = ((7, 1, 0), (7, 1, 10), (7, 1, 30), (7, 3, 0), (7, 3, 10), (14, 1, 0))


REST = (7, 7, 7, 14, 28)  # cycles of the blocks in which all containers are cut back

Calls = tuple[float, float, float]  # growth per create, reset and step


def designs(
    meter: str,
    create: float = 0,
    reset: float = 0,
    step: float = 0,
    types: Mapping[str, int] | None = None,
    chain: str = "",
) -> tuple[Trace, ...]:
    """Return blocks that separate the operations, for one meter that rises by so much at each call;
    `types` are those that grew, and `chain` leads to one object of the first of them.
    """
    listed = [{"type": name, "grew": grew} for name, grew in (types or {}).items()]
    holders = [{"type": name, "chain": chain} for name in (types or {}) if chain]
    values = {"cycles": 7, "types": listed, "holders": holders, "caches": []}
    return (_causes(values, _pass({meter: (create, reset, step)})),)


def held_in(
    chain: str,
    element: str,
    calls: Calls,
    keeps: Mapping[str, float],
    *,
    others: Mapping[str, Calls] | None = None,
    rest: Mapping[str, float] | None = None,
    **more: object,
) -> Trace:
    """Return a census that explains growth by a container: `calls` is how many elements each
    operation puts there, `keeps` how much one of them keeps of each meter, `others` what grows
    besides at each call, and `rest` the same in a cycle. `more` are its overhead, handle and lines.
    """
    result = {"type": "list", "chain": chain, "grew": 7, "unbounded": True, "element": element}
    values = {"cycles": 7, "types": [], "holders": [{**result, **more}], "caches": []}
    besides: Mapping[str, Calls] = dict.fromkeys(keeps, (0, 0, 0)) | dict(others or {})
    everything = {
        meter: tuple(
            own + keeps.get(meter, 0) * number for own, number in zip(each, calls, strict=True)
        )
        for meter, each in besides.items()
    }
    blocks = (
        [
            verb(
                f"rest:{cycles}x1x20",
                block=_done(cycles, 1, 20, {m: int(r * cycles) for m, r in rest.items()}),
            )
            for cycles in REST
        ]
        if rest is not None
        else []
    )
    cut = verb("cut:0", cut=1)
    return _causes(values, [*_pass(everything, calls), cut, *_pass(besides, calls), *blocks])


def explained(values: Mapping[str, object], grown: Mapping[str, Calls]) -> Trace:
    """Return a census that explains growth without a container, and growth per create, reset and
    step of each meter.
    """
    return _causes(values, _pass(grown))


def _causes(values: Mapping[str, object], events: Sequence[Event]) -> Trace:
    census = (fact("suspects", values), verb("suspects:7x1x20"))
    return trace(*census, *events, name="leak-causes", script="suspects:7x1x20")


def _pass(grown: Mapping[str, Any], elements: Calls | None = None) -> list[Event]:
    """The designs, in which meters rise by so much at each call, and a container by `elements`."""
    events = []
    for creates, resets, steps in DESIGNS:
        rises = {meter: int(_in(calls, creates, resets, steps)) for meter, calls in grown.items()}
        done = _done(creates, resets, steps, rises)
        if elements is not None:
            done |= {"grew": [int(_in(elements, creates, resets, steps))], "sizes": [0]}
        events.append(verb(f"block:{creates}x{resets}x{steps}", block=done))
    return events


def _in(calls: Calls, creates: int, resets: int, steps: int) -> float:
    """Sum growth per call over one design."""
    create, reset, step = calls
    return creates * (create + resets * (reset + steps * step))


def record(
    file: str,
    line: int,
    function: str,
    count: int = 101,
    size: int = 64,
    allocator: str = "PYMALLOC_MALLOC",
) -> dict[str, object]:
    """Return memray's record of memory kept over 101 cycles, at one line of the user's."""
    frames = [{"file": file, "line": line, "function": function}]
    return {
        "count": count,
        "bytes": count * size,
        "per_cycle": count / 101,
        "allocator": allocator,
        "frames": frames,
        "user": 0,
    }


def kept_at(*records: Mapping[str, object]) -> Trace:
    """The pass that names lines."""
    return trace(
        fact(
            "allocations",
            {"cycles": 101, "native": False, "mode": "aggregated", "records": list(records)},
        ),
        name="leak-memray",
    )


def suspected(types: Mapping[str, int], chain: str = "", cache: str = "") -> Trace:
    """The census that names types and holders, and a cache with a bound."""
    value = {
        "cycles": 7,
        "types": [{"type": name, "grew": grew} for name, grew in types.items()],
        "holders": [{"type": name, "chain": chain} for name in types if chain],
        "caches": (
            [{"what": cache, "size": 70, "maxsize": 128, "grew": 7, "cleared": False}]
            if cache
            else []
        ),
    }
    return trace(fact("suspects", value), name="leak-suspects")


def compared(fact_key: str, differs: bool = True, name: str = "life", **values: object) -> Trace:
    """A trace in which two trajectories were compared; `told` overrides parts of the
    difference, or says of which instance.
    """
    place = {
        key: values.pop(key)
        for key in (
            "manager",
            "start_method",
            "slot",
            "seed",
            "seeds_matter",
            "varies",
            "moves",
            "seeds",
            "beginnings",
        )
        if key in values
    }
    difference = {
        "call": "reset",
        "step": 0,
        "key": "observation",
        "what": "value",
        "place": None,
        "values": ["1", "2"],
        **values,
    }
    return trace(
        fact(
            fact_key,
            {"calls": 21, "unknown": [], "difference": difference if differs else None, **place},
        ),
        name=name,
    )


def longer_pair(differs: bool = True, **values: object) -> Trace:
    """Two instances that play longer, with four seeds."""
    usual = {"seeds": [1, 2, 3, 4], "beginnings": 3, "step": 20}
    return compared("paired", differs, "more-seeds", **{**usual, **values})


def random_resets(source: str, *states: str, name: str = "reuse", **where: object) -> Trace:
    """A trace of resets; `states` are the letters of a random generator's states before and
    after each.
    """
    return trace(*random_events(source, *states, **where), name=name)


def random_events(source: str, *states: str, **where: Any) -> tuple[Event, ...]:
    """The instance events of such resets."""
    return tuple(
        instance(
            "reset",
            resets=number,
            random={"before": {source: state[0]}, "after": {source: state[1]}},
            **where,
        )
        for number, state in enumerate(states, 1)
    )
