"""Null environments with a fault in one worker: what becomes of it under each manager. Traces in,
scenarios out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from envdoctor.frameworks import profile_of
from envdoctor.model.faults import HARD_TO_SEND, IN_PROCESS, KILL, KINDS, STEP, Fault
from envdoctor.model.scenario import DIRECT, Scenario
from envdoctor.model.trace import Trace
from envdoctor.plan.scenarios import Place
from envdoctor.rules.evidence.faults import sees_itself

FAULT_LIFE = "make reset step close drop"


def faults(traces: Iterable[Trace]) -> tuple[Scenario, ...]:
    """A null environment with each fault in one worker, in every place where the subject was played
    under a manager. Exceptions that are hard to send follow where an ordinary one was seen to reach
    the parent.
    """
    traces = tuple(traces)
    places = dict.fromkeys(
        trace.scenario.place
        for trace in traces
        if trace.scenario.name == "life" and trace.scenario.manager != DIRECT
    )
    wanted = [_with_fault(*place, fault) for place in places for fault in _faults_in(place[1])]
    wanted += [
        _with_fault(*place, Fault(kind, 1)) for place in _relayed(traces) for kind in HARD_TO_SEND
    ]
    names = {(trace.scenario.name, trace.scenario.place) for trace in traces}
    return tuple(scenario for scenario in wanted if (scenario.name, scenario.place) not in names)


def _relayed(traces: Iterable[Trace]) -> Iterator[Place]:
    """Yield the places where the error of a worker's step() reached the parent."""
    for trace in traces:
        if (
            trace.scenario.fault == Fault(STEP, 1)
            and trace.scenario.start_method
            and any(sees_itself(trace))
        ):
            yield trace.scenario.place


def _faults_in(start_method: str | None) -> Iterator[Fault]:
    """The second worker is the one that fails: a manager may depend on the first for more. After a
    fork it also matters which one dies, because a later worker inherits what was open for the
    earlier ones.
    """
    for kind in KINDS if start_method else IN_PROCESS:
        if kind not in HARD_TO_SEND:
            yield Fault(kind, 1)
    if start_method == "fork":
        yield Fault(KILL, 0)


def _with_fault(manager: str, start_method: str | None, fault: Fault) -> Scenario:
    still = profile_of(manager).patience
    return Scenario(fault.name, FAULT_LIFE, manager, start_method, control=True, idle_limit=still)
