"""Parts of the product that a recording exercises: verbs, sensors, managers, ways to start and to
die.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from envdoctor.model.facts import Described
from envdoctor.model.records import ReadingRecord, VerbRecord, WorkerExitRecord
from envdoctor.model.scenario import DIRECT, verb_name
from envdoctor.model.trace import EXITED, FINISHED, SIGNALLED, TIMED_OUT, Trace


@dataclass(frozen=True)
class Traits:
    """Each a sorted list of names. `outcomes` are the ways in which scenarios ended; `deaths` those
    of probes and workers that ended otherwise than asked for, such as "probe SIGSEGV",
    "worker exit code 3" and "probe hung in close()".
    """

    verbs: tuple[str, ...]
    sensors: tuple[str, ...]
    managers: tuple[str, ...]
    start_methods: tuple[str, ...]
    outcomes: tuple[str, ...]
    deaths: tuple[str, ...]
    scenarios: tuple[str, ...]
    storages: tuple[str, ...]
    apis: tuple[str, ...]

    def as_dict(self) -> dict[str, str]:
        """One line of text for each."""
        return {name: "|".join(values) for name, values in vars(self).items()}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Traits:
        """The inverse of `as_dict`; other keys are ignored."""
        return cls(
            **{name: tuple(filter(None, data[name].split("|"))) for name in cls.__annotations__}
        )


def traits_of(traces: Iterable[Trace]) -> Traits:
    """Return the traits of these traces."""
    every = tuple(traces)
    scenarios = [trace.scenario for trace in every]
    return Traits(
        verbs=_names(
            verb_name(record.verb) for trace in every for record in trace.records(VerbRecord)
        ),
        sensors=_names(
            name
            for trace in every
            for record in trace.records(ReadingRecord)
            for name in record.sensors
        ),
        managers=_names(scenario.manager for scenario in scenarios if scenario.manager != DIRECT),
        start_methods=_names(scenario.start_method or "" for scenario in scenarios),
        outcomes=_names(trace.outcome.kind for trace in every),
        deaths=_names(death for trace in every for death in _deaths(trace)),
        scenarios=_names(scenario.name for scenario in scenarios),
        storages=_names(str(scenario.option("storage")) for scenario in scenarios),
        apis=_names(fact.api for trace in every for fact in trace.facts(Described)),
    )


def _names(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({*names} - {""}))


def _deaths(trace: Trace) -> Iterator[str]:
    end = trace.outcome
    if end.kind == SIGNALLED:
        yield f"probe {end.signal}"
    elif end.kind == EXITED:
        yield f"probe exit code {end.exit_code}"
    elif end.kind == TIMED_OUT:
        yield f"probe hung in {verb_name(end.verb)}"
    elif end.kind != FINISHED:
        yield f"probe {end.kind}"
    for record in trace.records(WorkerExitRecord):
        if record.code:
            yield f"worker {_exit(record.code)}"
    if trace.last_words is not None and trace.last_words.code:
        yield f"exit {_exit(trace.last_words.code)}"


def _exit(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit code {code}"
