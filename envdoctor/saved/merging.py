"""Several runs as one: what was played last of each scenario counts.

Evidence is never mixed where it would mislead: a leak check is taken whole, and what an
earlier finding made worth playing goes with the earlier play of its place.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from envdoctor.errors import UsageError
from envdoctor.model.facts import Replayed
from envdoctor.model.subject import Subject
from envdoctor.model.trace import Trace
from envdoctor.saved.lines_v1 import shown
from envdoctor.saved.reading import SavedRun
from envdoctor.verdict.diagnosis import Run, RunEvidence

Key = tuple[str, str, str | None, bool]


def merge(
    runs: Sequence[SavedRun],
) -> tuple[Run, dict[str, RunEvidence], dict[str, frozenset[str]]]:
    """Return the values that all runs share; the observations of each subject, by SPEC; the codes
    of the rules that judged it. Raises UsageError for one SPEC that was not the same environment in
    two runs.
    """
    known: dict[str, RunEvidence] = {}
    codes: dict[str, frozenset[str]] = {}
    for run in runs:
        for spec, later in run.evidence.items():
            known[spec] = _both(known[spec], later) if spec in known else later
            codes[spec] = codes.get(spec, frozenset()) | frozenset(run.codes)
    last = runs[-1].run
    seconds, leak_checked = (
        sum(run.run.seconds for run in runs),
        all(run.run.leak_checked for run in runs),
    )
    incomplete = "; ".join(run.incomplete for run in runs if run.incomplete)
    return (
        replace(last, seconds=seconds, leak_checked=leak_checked, incomplete=incomplete),
        known,
        codes,
    )


def _both(earlier: RunEvidence, later: RunEvidence) -> RunEvidence:
    _refuse_others(earlier, later)
    # The quick leak check of a later `check` sees less than a leak check that was the aim of its
    # run.
    kept = (
        _leak_checked_places(earlier.traces)
        if earlier.leak_checked and not later.leak_checked
        else set()
    )
    fresh = [
        trace
        for trace in later.traces
        if not (_is_leak_check(trace) and trace.scenario.place in kept)
    ]
    return RunEvidence(
        later.subject,
        tuple(_merged(earlier.traces, fresh, again=not later.leak_checked)),
        later.machine or earlier.machine,
        later.read if "undefined" in later.read or not earlier.read else earlier.read,
        tuple(dict.fromkeys((*earlier.skipped, *later.skipped))),
        earlier.leak_checked or later.leak_checked,
        earlier.seconds + later.seconds,
    )


def _refuse_others(observations: RunEvidence, other: RunEvidence) -> None:
    """Two environments under one name are not one seen twice: the later would hide the earlier."""
    spec = shown(observations.subject.text)
    if _played_with(observations.subject) != _played_with(other.subject):
        raise UsageError(
            f"{spec} was examined with other arguments in these runs; judge them one at a time"
        )
    theirs = [observations.known.frameworks for observations in (observations, other)]
    if all(theirs) and theirs[0] != theirs[1]:
        name = next(
            name
            for name in sorted({*theirs[0], *theirs[1]})
            if theirs[0].get(name) != theirs[1].get(name)
        )
        versions = " and ".join(shown(versions.get(name, "none")) for versions in theirs)
        raise UsageError(
            f"{spec} was examined with {shown(name)} {versions} in these runs; judge them one at a"
            " time"
        )


def _merged(earlier: Iterable[Trace], later: Sequence[Trace], again: bool) -> Iterable[Trace]:
    """The traces of both, without those of `earlier` that were played anew; `again`: the places
    of `later` were examined, not checked for leaks.
    """
    newer, leak_checks = {_key(trace) for trace in later}, _leak_checked_places(later)
    places = {trace.scenario.place for trace in later if again}
    replays: list[Trace] = []
    for trace in earlier:
        if trace.scenario.traits.replays and _key(trace) in newer:
            replays.append(trace)
        elif _is_leak_check(trace):
            yield from [] if trace.scenario.place in leak_checks else [trace]
        elif _key(trace) not in newer and not (
            _is_on_demand(trace) and trace.scenario.place in places
        ):
            yield trace
    for trace in later:
        yield _with_replays(trace, replays) if trace.scenario.traits.replays else trace


def _with_replays(trace: Trace, earlier: Iterable[Trace]) -> Trace:
    """One replay covers many places: those that only the earlier ones know are kept."""
    own = {(replayed.manager, replayed.start_method) for replayed in trace.facts(Replayed)}
    others = [
        event
        for item in earlier
        if item.scenario.control == trace.scenario.control
        for event, fact in zip(item.of("fact", key=Replayed.KEY), item.facts(Replayed), strict=True)
        if (fact.manager, fact.start_method) not in own
    ]
    return replace(trace, events=(*others, *trace.events))


def _key(trace: Trace) -> Key:
    return (trace.scenario.name, *trace.scenario.place, trace.scenario.control)


def _is_leak_check(trace: Trace) -> bool:
    return bool(trace.scenario.traits.growth)


def _leak_checked_places(traces: Iterable[Trace]) -> set[tuple[str, str | None]]:
    """The places in which growth was looked for."""
    return {
        trace.scenario.place
        for trace in traces
        if _is_leak_check(trace) and not trace.scenario.control
    }


def _is_on_demand(trace: Trace) -> bool:
    return trace.scenario.traits.on_demand or (trace.scenario.control and not trace.scenario.fault)


def _played_with(subject: Subject) -> tuple[object, ...]:
    """Return the fields that have to be equal in two runs of one SPEC."""
    return subject.kwargs, subject.script, subject.script_arguments, subject.kind
