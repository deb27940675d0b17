"""Scenarios for an environment whose call hangs or ends the process: those without that call, or
none. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from envdoctor.model.scenario import CALLERS, DIRECT, Scenario, verb_name
from envdoctor.model.trace import EXITED, OUT_OF_MEMORY, SIGNALLED, TIMED_OUT, Trace
from envdoctor.model.traits import VARIANT

ENOUGH = 2  # scenarios in which a call has to hang until the others do without it
DEATHS = (EXITED, SIGNALLED)  # of the process itself
#: What every scenario does; one that does no more tells nothing new.
ORDINARY = ("make", "reset", "step", "close", "drop", "leave", "watch")


def adapted(scenario: Scenario, traces: Sequence[Trace]) -> Scenario | None:
    """The scenario, or as much of it as does without the call that hangs; None where that would
    tell nothing. A call counts that never came back, in several scenarios without a manager: one
    that only hangs now and then is played on.
    """
    call = "" if scenario.control else hanging(traces)
    if scenario.control or scenario.manager != DIRECT:
        useless = _repeats(scenario, traces) or (call and _starved(traces))
        return None if useless else scenario
    if not call:
        return scenario
    if scenario.traits.growth:
        return None
    short = _without(scenario, call)
    if short is scenario or _is_telling(short):
        return short
    return None


def hanging(traces: Iterable[Trace]) -> str:
    """The call of the plain life that does not come back without a manager, or nothing: it hangs,
    ends the process, or a busy machine keeps it from running.
    """
    alone = [
        trace for trace in traces if trace.scenario.manager == DIRECT and not trace.scenario.control
    ]
    life = next((trace for trace in alone if trace.scenario.traits.plain), None)
    if life is None or not (stopped(life) or life.outcome.kind in DEATHS):
        return ""
    call = verb_name(life.outcome.verb)
    if call not in CALLERS or any(trace.verbs(call, "ended") for trace in alone):
        return ""
    again = {call, *CALLERS[call][False]}
    times = sum(
        trace.outcome.kind == life.outcome.kind
        and verb_name(trace.outcome.verb) in again
        and trace.outcome.starved == life.outcome.starved
        for trace in alone
    )
    return call if times >= ENOUGH else ""


def stopped(life: Trace) -> bool:
    """Return True if envdoctor ended the plain life: its growth cannot be followed."""
    return life.outcome.kind in (TIMED_OUT, OUT_OF_MEMORY) or life.outcome.starved


def reason(traces: Iterable[Trace]) -> str:
    """Return how the plain life ended: `close() hangs`."""
    for trace in traces:
        if trace.scenario.traits.plain and (stopped(trace) or trace.outcome.kind in DEATHS):
            verb = verb_name(trace.outcome.verb)
            call = {"make": "the constructor", "drop": "the end of the instance"}.get(
                verb, f"{verb}()"
            )
            return f"{call} {_end(trace)}"
    return ""


def _end(life: Trace) -> str:
    """Describe the end of the call in which a plain life ended."""
    if life.outcome.starved:
        return "had too little of a busy machine"
    if life.outcome.kind in DEATHS:
        return "ends the process"
    return "hangs" if life.outcome.kind == TIMED_OUT else "takes all memory"


def _starved(traces: Iterable[Trace]) -> bool:
    """Return True if a busy machine kept a plain life from running: others would show no more."""
    return any(trace.scenario.traits.plain and trace.outcome.starved for trace in traces)


def _repeats(scenario: Scenario, traces: Sequence[Trace]) -> bool:
    """Return True if it would only hang again: another launch in a place in which the plain life
    has hung, of an environment that hangs without a manager, too.
    """
    if scenario.control or scenario.fault or scenario.traits.plain:
        return False
    life_traces = [
        trace
        for trace in traces
        if trace.scenario.traits.plain
        and trace.scenario.place == scenario.place
        and not trace.scenario.control
    ]
    return any(map(stopped, life_traces)) and (scenario.traits == VARIANT or bool(hanging(traces)))


def _without(scenario: Scenario, call: str) -> Scenario:
    """The scenario up to the first word that is the call, and the end of its instance; without
    the words that make it among other things.
    """
    words = scenario.script.split()
    at = next((at for at, word in enumerate(words) if verb_name(word) == call), len(words))
    rest = [word for word in words[:at] if verb_name(word) not in CALLERS[call][False]]
    if len(rest) == len(words):
        return scenario
    if "make" in rest and rest[-1] != "drop":
        rest.append("drop")
    return replace(scenario, script=" ".join(rest))


def _is_telling(scenario: Scenario) -> bool:
    """Return True if a scenario does more than to make, reset and step an instance."""
    names = {verb_name(word) for word in scenario.script.split()}
    if scenario.traits.other_process or scenario.traits.on_demand:
        return "step" in names
    return bool(names - set(ORDINARY)) or scenario.script.split().count("close") > 1
