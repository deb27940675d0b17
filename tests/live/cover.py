"""The recorded cases that `make test` examines live: few that exercise all there is.

    python -m tests.live.cover  # choose them anew, and write tests/live/cover.txt

What a case exercises is what its recording shows: verbs, managers, start methods, scenarios and
ends of processes; and by its rules the sensors on whose readings a finding rests, or that nothing is
found. A case that needs a framework is chosen only for what no other one exercises. `KEY:own` is a
case by its own rules alone (`--select`), which plays fewer scenarios of the same environment.
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import cycle
from pathlib import Path

import envdoctor.probe.adapters.gymnasium
import envdoctor.probe.sensors
from envdoctor.model.scenario import VERBS
from envdoctor.model.trace import EXITED, FINISHED, OUT_OF_MEMORY, SIGNALLED, TIMED_OUT
from envdoctor.reporters import formats
from envdoctor.rules.engine.registry import all_rules
from tests.recorded import keeping
from tests.recorded.asking import AskedOtherwise, traces_not_asked_for
from tests.recorded.catalogue import Case, cases
from tests.recorded.traits import Traits, traits_of

FILE = Path(__file__).with_name("cover.txt")

#: What a case costs besides its seconds that needs an interpreter of its own.
FRAMEWORK = 1000.0
START = 1.0  # seconds of a command besides its scenarios
START_METHODS = ("fork", "forkserver", "spawn")
#: A run that is lost or interrupted is the doctor's end: tests/live/test_interrupted.py.
ENDS = (FINISHED, EXITED, SIGNALLED, TIMED_OUT, OUT_OF_MEMORY)
DEATHS = ("worker signal", "worker exit code", "exit signal")
#: Sensors that rules read as meters, and a rule that does.
METERS = {"native-heap": "LEK003", "python-blocks": "LEK001", "python-objects": "LEK001"}

#: After the key of a case that is examined by its own rules alone.
OWN = ":own"

#: Verbs that tests/frameworks/test_four_troubles.py plays, whose cases need a framework anyway.
BY_TROUBLES = frozenset(
    f"verb {name}" for name in ("relaunch", "empty", "fill", "forecast", "look", "past", "stock")
)


@dataclass(frozen=True)
class Choice:
    """Parts that a case exercises, and the seconds that its examination takes."""

    exercises: frozenset[str]
    seconds: float


def cover(choices: Mapping[str, Choice], wanted: Collection[str]) -> list[str]:
    """Cases that together exercise all that is wanted and that any case does, cheap ones first:
    greedily by what each adds for its seconds, without those that later ones made redundant.
    """
    adds = {key: choices[key].exercises.intersection(wanted) for key in sorted(choices)}
    chosen: list[str] = []
    while adds := {key: words for key, words in adds.items() if words}:
        best = max(adds, key=lambda key: len(adds[key]) / choices[key].seconds)
        chosen.append(best)
        adds = {key: words - adds[best] for key, words in adds.items()}
    for key in sorted(chosen, key=lambda key: (-choices[key].seconds, key)):
        others = [choices[other] for other in chosen if other != key]
        if choices[key].exercises.intersection(wanted) <= all_of(others):
            chosen.remove(key)
    return sorted(chosen)


def all_of(choices: Iterable[Choice]) -> frozenset[str]:
    return frozenset[str]().union(*(choice.exercises for choice in choices))


def alone(chosen: Mapping[str, Choice], wanted: Collection[str]) -> dict[str, list[str]]:
    """Return the parts that only this case of the chosen ones exercises."""
    return {
        key: sorted(
            choice.exercises.intersection(wanted)
            - all_of(other for name, other in chosen.items() if name != key)
        )
        for key, choice in chosen.items()
    }


def wanted() -> frozenset[str]:
    """All there is to exercise, without the formats of reports and what the four troubles play."""
    return _there_is() - BY_TROUBLES


def _there_is() -> frozenset[str]:
    return frozenset(
        (
            *(f"verb {name}" for name in VERBS),
            *(f"sensor {name}" for name in _names(envdoctor.probe.sensors)),
            *(f"manager {name}" for name in _names(envdoctor.probe.adapters.gymnasium)),
            *(f"start method {name}" for name in START_METHODS),
            *(f"scenario {name}" for name in _scenarios()),
            *(f"end {name}" for name in ENDS),
            *(f"death {name}" for name in DEATHS),
            *(f"healthy sensor {name}" for name in _names(envdoctor.probe.sensors)),
        )
    )


def _names(package: object) -> Iterator[str]:
    """Return the names that the modules of a package give to their sensors or managers."""
    for entry in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):  # type: ignore[attr-defined]
        module = importlib.import_module(entry.name)
        if hasattr(module, "NAME"):
            yield module.NAME


def _scenarios() -> Iterator[str]:
    """All that a recorded case plays that needs no framework."""
    for key, entry in keeping.index().entries.items():
        if key in cases() and not cases()[key].interpreter:
            yield from entry.traits.scenarios


#: It leaves a service on purpose, which holds the output of the command, and so who reads it.
LEFT_OUT = ("reports/CompilerGym-326-sick",)


def choices() -> dict[str, Choice]:
    """Return the parts that each case exercises, by the index of recordings."""
    entries = keeping.index().entries
    return {
        key: Choice(
            exercised(case, entries[key].traits),
            max(entries[key].seconds, 0.1) + (FRAMEWORK if case.interpreter else 0.0),
        )
        for key, case in cases().items()
        if key in entries and not case.company and key not in LEFT_OUT
    }


def case_of(name: str) -> Case:
    """The case of a name: a key, or `KEY:own`."""
    case = cases()[name.removesuffix(OWN)]
    return by_own_rules(case) if name.endswith(OWN) else case


def by_own_rules(case: Case) -> Case:
    """A case that asks for no other rules than those that it is about."""
    others = (code for pair in case.gives_way for code in pair)
    codes = dict.fromkeys((*case.says, *case.may, *case.passes, *others))
    return replace(case, words=(*case.words, "--select", ",".join(codes)))


def own_choice(key: str) -> Choice | None:
    """What a case exercises by its own rules; None where that is the same, or its recording does
    not show it.
    """
    case = cases()[key]
    if case.command != "check" or case.interpreter or not (case.says or case.passes):
        return None
    if {"--select", "--ignore"}.intersection(case.words):
        return None
    evidence = keeping.load(key).evidence
    try:
        unasked = {id(trace) for trace in traces_not_asked_for(by_own_rules(case), evidence)}
    except AskedOtherwise:
        return None
    played = [trace for trace in evidence.traces if id(trace) not in unasked]
    seconds = START + sum(trace.outcome.seconds for trace in played)
    return Choice(exercised(case, traits_of(played)), seconds)


def exercised(case: Case, traits: Traits) -> frozenset[str]:
    """Return the parts that a case exercises, in the words of `wanted()`."""
    rules = [all_rules()[code] for code in case.says]
    passed = [all_rules()[code] for code in case.passes]
    return frozenset(
        (
            *(f"verb {name}" for name in traits.verbs),
            *(f"manager {name}" for name in traits.managers),
            *(f"start method {name}" for name in traits.start_methods),
            *(f"scenario {name}" for name in traits.scenarios),
            *(f"end {name}" for name in traits.outcomes),
            *(f"death {name}" for name in DEATHS if any(d.startswith(name) for d in traits.deaths)),
            *(f"sensor {name}" for rule in rules for name in rule.sensors),
            *(f"sensor {name}" for name, code in METERS.items() if code in case.says),
            *(f"healthy sensor {name}" for rule in passed for name in rule.sensors),
            *(f"healthy sensor {name}" for name, code in METERS.items() if code in case.passes),
        )
    )


def read(file: Path = FILE) -> dict[str, str]:
    """The names of the chosen cases, each with the format of the report that it writes."""
    lines = (line.split() for line in file.read_text(encoding="utf-8").splitlines())
    return {key: report for key, report, *_ in lines}


def with_formats(chosen: Iterable[str]) -> dict[str, str]:
    """Each case with a format, so that all are written; sick cases take turns first, since a report
    on a healthy one may be empty.
    """
    ordered = sorted(chosen, key=lambda name: (not case_of(name).says, name))
    return dict(sorted(zip(ordered, cycle(formats()), strict=False)))


def _without_trials(key: str, choice: Choice) -> Choice:
    """The choice with the seconds of its scenarios alone: most remedies are not tried again."""
    seconds = START + sum(trace.outcome.seconds for trace in keeping.load(key).evidence.traces)
    return replace(choice, seconds=seconds + (FRAMEWORK if cases()[key].interpreter else 0.0))


def main() -> None:
    """Choose, and write the file."""
    argparse.ArgumentParser(description=__doc__.partition("\n")[0]).parse_args()
    every = {key: _without_trials(key, choice) for key, choice in choices().items()}
    own = {f"{key}{OWN}": choice for key in every if (choice := own_choice(key)) is not None}
    every.update(own)
    all_wanted = wanted()
    chosen = with_formats(cover(every, all_wanted))
    reasons = alone({key: every[key] for key in chosen}, all_wanted)
    width = max(map(len, chosen))
    FILE.write_text(
        "".join(
            f"{key:<{width}}  {report:<14}  {', '.join(reasons[key])}\n"
            for key, report in chosen.items()
        ),
        encoding="utf-8",
    )
    seconds = sum(every[key].seconds % FRAMEWORK for key in chosen)
    print(f"{len(chosen)} of {len(every)} cases, played in {seconds:.0f} s: {FILE}")
    for missing in sorted(all_wanted - all_of(every.values())):
        print(f"no recording exercises the {missing}")


if __name__ == "__main__":
    main()
