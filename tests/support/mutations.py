"""Runs that lost a part of their evidence: no rule may pass that would have spoken with it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from envdoctor.model.scenario import verb_name
from envdoctor.model.trace import SIGNALLED, Outcome, Trace
from envdoctor.rules.engine.registry import catalogue
from envdoctor.verdict.diagnosis import RunEvidence, judged

Place = tuple[str, str | None]

CYCLES = ("block", "rest", "warm", "suspects", "memray")


def passes_unseen(evidence: RunEvidence, code: str) -> list[str]:
    """`CLS006 passes at direct without the scenario life`, for each part of what was seen without
    which the rule `code` falls silent and is said to have passed all the same.
    """
    reported, _ = _verdicts(evidence, code)
    wrong = []
    for what, less in _mutants(evidence):
        still, passed = _verdicts(less, code)
        wrong += [
            f"{code} passes at {place} without {what}"
            for place in sorted(reported & passed - still, key=str)
        ]
    return wrong


def _verdicts(evidence: RunEvidence, code: str) -> tuple[set[Place], set[Place]]:
    """The places in which a rule reports something, and those in which it passes."""
    judgement = judged(evidence, [entry.load() for entry in catalogue() if entry.code == code])
    reported = {
        (finding.manager, finding.start_method)
        for finding in judgement.findings
        if finding.code == code
    }
    return reported, {(item.manager, item.start_method) for item in judgement.passed}


def _mutants(evidence: RunEvidence) -> Iterator[tuple[str, RunEvidence]]:
    """The run without one scenario, without what follows a verb, without one sensor, and with the
    first cycles only.
    """
    traces = tuple(evidence.traces)
    for name in dict.fromkeys(trace.scenario.name for trace in traces):
        rest = tuple(trace for trace in traces if trace.scenario.name != name)
        yield f"the scenario {name}", replace(evidence, traces=rest)
    verbs = {verb_name(event["verb"]) for trace in traces for event in trace.of("verb")}
    for verb in sorted(verbs - {"survey", *CYCLES}):
        cut = tuple(_ended_in(trace, verb) for trace in traces)
        yield f"what follows {verb}()", replace(evidence, traces=cut)
    sensors = {
        name for trace in traces for event in trace.of("reading") for name in event["sensors"]
    }
    for sensor in sorted(sensors):
        less = tuple(_without_sensor(trace, sensor) for trace in traces)
        yield f"the sensor {sensor}", replace(evidence, traces=less)
    short = tuple(_with_few_cycles(trace) for trace in traces)
    yield "all but the first cycles", replace(evidence, traces=short)


def _ended_in(trace: Trace, verb: str) -> Trace:
    """The trace of a process that died in the first call of a verb."""
    for at, event in enumerate(trace.events):
        if event["event"] == "verb" and verb_name(event["verb"]) == verb:
            end = Outcome(SIGNALLED, verb=event["verb"], signal="SIGKILL")
            return replace(trace, events=trace.events[: at + 1], outcome=end, aftermath={})
    return trace


def _without_sensor(trace: Trace, sensor: str) -> Trace:
    if not any(sensor in event["sensors"] for event in trace.of("reading")):
        return trace
    events = tuple(
        (
            {**event, "sensors": {k: v for k, v in event["sensors"].items() if k != sensor}}
            if event["event"] == "reading"
            else event
        )
        for event in trace.events
    )
    return replace(trace, events=events)


def _with_few_cycles(trace: Trace) -> Trace:
    """Of each search the first block, as where there was no time for more."""
    if trace.scenario.name not in ("leak", "leak-open", "leak-workers"):
        return trace if not trace.scenario.name.startswith("leak-") else replace(trace, events=())
    blocks = [
        at
        for at, event in enumerate(trace.events)
        if event["event"] == "verb" and event["state"] == "ended" and event.get("block")
    ]
    return replace(trace, events=trace.events[: blocks[0] + 1]) if blocks else trace
