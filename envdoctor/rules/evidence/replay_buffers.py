"""Filled replay storages, one by one, for the rules on them."""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.analysis.replay_buffers import (
    FORECAST,
    NAME,
    NONE,
    asked_of,
    beside,
    growing,
    name_of,
    room_of,
)
from envdoctor.frameworks import STORAGES
from envdoctor.model.facts import EmptiedStorage, KeptTransitions, PastCapacity, StorageForecast
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.trace import Trace
from envdoctor.rules.engine.examples import direct_view, fact, trace
from envdoctor.rules.engine.looked_at import unfinished
from envdoctor.rules.engine.view import View


@dataclass(frozen=True)
class Stored:
    """One storage: its forecast, the play that filled it, the same with the null environment, and
    the subject without any. Each None where it was not played.
    """

    name: str
    forecast: StorageForecast
    asked: int
    explicit: bool
    filled: Trace | None
    control: Trace | None
    alone: Trace | None

    @property
    def past(self) -> PastCapacity:
        """The storage's behavior past its capacity."""
        return (self.filled.fact(PastCapacity) if self.filled else None) or PastCapacity()

    @property
    def kept(self) -> KeptTransitions:
        """The transitions that were read back."""
        return (self.filled.fact(KeptTransitions) if self.filled else None) or KeptTransitions()

    @property
    def emptied(self) -> EmptiedStorage:
        """The leftovers of the storage after its drop."""
        return (self.filled.fact(EmptiedStorage) if self.filled else None) or EmptiedStorage()

    @property
    def bytes(self) -> int:
        """The size of one transition, by the spaces."""
        return self.forecast.bytes

    @property
    def capacity(self) -> int:
        """The number of transitions that filled it."""
        words = self.filled.scenario.verbs if self.filled else ()
        return next((int(verb.argument) for verb in words if verb.name == "stock"), 0)

    def room(self, memory: int) -> int:
        """Bytes that are free where it lies."""
        return room_of(self.forecast, memory)


def stored(view: View) -> Iterator[Stored]:
    """Every storage of a place that was not refused."""
    fills = {name_of(trace): trace for trace in view.all(NAME)}
    controls = {name_of(trace): trace for trace in view.control.all(NAME)} if view.control else {}
    alone = {beside(trace): trace for trace in view.all(NAME) if name_of(trace) == NONE}
    for forecast in view.all(FORECAST):
        reported, name = forecast.fact(StorageForecast), name_of(forecast)
        if reported is not None and not reported.missing and reported.parts:
            explicit = bool(forecast.scenario.option("asked"))
            yield Stored(
                name,
                reported,
                asked_of(forecast),
                explicit,
                fills.get(name),
                controls.get(name),
                alone.get(name),
            )


def not_filled(view: View) -> str:
    """Return the reason why a storage was not filled and turned over to the end, or nothing."""
    known = {stored.name: stored for stored in stored(view)}
    for name in dict.fromkeys(name_of(item) for item in view.all(NAME) if name_of(item) != NONE):
        if name not in known:
            return f"the forecast for {name} was not made"
    empty = (f"{name} was not filled" for name, stored in known.items() if stored.filled is None)
    return next(empty, "") or unfinished(view.all(NAME))


def grown(run: Trace | None) -> dict[str, int]:
    """{meter: rise in a turn} of what grew past the capacity in a play."""
    return growing((run.fact(PastCapacity) if run else None) or PastCapacity())


# Samples for examples.

LISTED = next(name for name in STORAGES if name.endswith("-list"))


def forecast(
    name: str = LISTED, asked: int = 10_000, explicit: bool = True, **values: object
) -> Trace:
    """A trace of a forecast."""
    value = {
        "storage": name,
        "class": "ListStorage",
        "place": "memory",
        "copies": False,
        "missing": "",
        "refused": "",
        "seconds": 1e-4,
        "sizes": {"dtype": "float32", "shape": [3, 84, 84]},
        "parts": {"observation": 1000},
        "rooms": {},
        **values,
    }
    options = (("storage", name), ("asked", explicit))
    return trace(
        fact("forecast", value), name=FORECAST, script=f"forecast:{asked}", options=options
    )


def filled(name: str = LISTED, **facts: object) -> Trace:
    """A trace of a storage that was filled with a thousand transitions."""
    events = [fact(key, value) for key, value in facts.items()]
    return trace(
        *events,
        name=NAME,
        script="stock:1000 fill:1000 past:1000 look empty",
        options=(("storage", name),),
    )


def stored_view(*traces: Trace, **survey: object) -> View:
    """A view of storages, on a machine that has 8 GB free."""
    return direct_view(
        *traces, machine={"cores": 8, "memory": 6_400_000_000, "available": 8_000_000_000}, **survey
    )


def turns(
    objects: int = 0, heap: int = 0, observation: tuple[int, ...] = (16, 16, 16)
) -> dict[str, object]:
    """A `past` fact of three turns in which meters rose by so much each."""
    done = [
        {"stored": 1000, "observation": size, "rose": {"objects": objects, "heap": heap}}
        for size in observation
    ]
    tolerated = {"objects": 64, "heap": 16384}
    return {
        "turns": done,
        "flat": objects <= 64 and heap <= 16384,
        "tolerated": tolerated,
        "followed": 8,
        "alive": 0,
        "holder": None,
    }
