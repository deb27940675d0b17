"""Filling replay storages from the subject: which scenarios are played, and with which capacity.
Their traces are all it leaves.

First a forecast, for which next to nothing is stored. Then the storage is filled and turned over,
as far as memory and time allow. Only where something shows it is asked whose that is: the same
storage with the null environment, the subject without a storage.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from envdoctor.analysis.replay_buffers import FORECAST, MEMORY, NAME, NONE, TIME, name_of, room_of
from envdoctor.frameworks import profile_of_storage
from envdoctor.model.facts import EmptiedStorage, PastCapacity, StorageForecast
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.scenario import Scenario
from envdoctor.model.trace import FINISHED, Trace

Play = Callable[[Scenario], Trace | None]

DEFAULT = 10_000  # transitions, where no capacity was asked for
LEAST = 16  # however slow they are
CHUNKS = 4  # readings until it is full
FILLED = 1 << 30  # bytes that are really written, at most
SHARE = 0.25  # of the memory that is free
SECONDS = 14.0  # for one turn, at most: a verb may take half of its deadline
TURNS = 3  # that one storage takes, as a rule: it is filled, turned over, read back


@dataclass(frozen=True)
class StorageRequest:
    """The request of the command line. `capacity` 0 is the default; `seconds` are for all storages
    together.
    """

    names: tuple[str, ...]
    capacity: int = 0
    seconds: float = 60.0


def store(play: Play, request: StorageRequest, memory: int) -> None:
    """Fill each storage. `memory` is what is free, in bytes."""
    for name in request.names:
        forecast = play(
            _scenario(
                FORECAST,
                name,
                f"forecast:{request.capacity or DEFAULT}",
                asked=bool(request.capacity),
            )
        )
        if forecast is None:
            return
        reported = forecast.fact(StorageForecast)
        if (
            reported is None
            or reported.missing
            or reported.refused
            or forecast.outcome.kind != FINISHED
        ):
            continue
        room, time = affordable(reported, request, memory)
        capacity = min(request.capacity or DEFAULT, room, time)
        filled = play(_filling(name, capacity, MEMORY if room <= time else TIME))
        if filled is None:
            return
        for scenario in _doubts(filled):
            play(scenario)


def affordable(forecast: StorageForecast, request: StorageRequest, memory: int) -> tuple[int, int]:
    """Return how many transitions can be stored here, limited by a share of the free memory and by
    the time.
    """
    each = max(1, forecast.bytes)
    seconds = min(SECONDS, request.seconds / len(request.names) / TURNS)
    per = max(forecast.seconds, 1e-6)
    room = int(min(FILLED, SHARE * room_of(forecast, memory)) / each)
    return max(1, room), max(LEAST, int(seconds / per))


def _scenario(kind: str, name: str, script: str, **options: object) -> Scenario:
    """A scenario with a storage, whose framework is imported first: a template has it then."""
    profile = profile_of_storage(name)
    if profile is not None and profile.in_process:
        options = {"enters": profile.in_process[0], **options}
    return Scenario(kind, script, options=(("storage", name), *options.items()))


def _filling(name: str, capacity: int, limit: str) -> Scenario:
    part = capacity // CHUNKS
    fills = " ".join(
        f"fill:{part if turn else capacity - part * (CHUNKS - 1)}" for turn in range(CHUNKS)
    )
    script = f"stock:{capacity} {fills} past:{capacity} look empty"
    return _scenario(NAME, name, script, limit=limit)


def _doubts(filled: Trace) -> Iterator[Scenario]:
    """Yield scenarios that show the cause of growth past the capacity and of files that stay."""
    grows = (filled.fact(PastCapacity) or PastCapacity()).grows
    if grows or (filled.fact(EmptiedStorage) or EmptiedStorage()).files:
        yield replace(filled.scenario, control=True)
    if grows:
        capacity = filled.scenario.script.partition(" past:")[2].partition(" ")[0]
        alone = f"stock:{capacity} fill:{capacity} past:{capacity} empty"
        yield _scenario(NAME, NONE, alone, beside=name_of(filled))
