"""Which scenarios are played: subject and request in, scenarios out. A new scenario is one line here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from envdoctor.model.faults import HARD_TO_SEND, IN_PROCESS, KILL, KINDS, STEP, Fault
from envdoctor.model.finding import NOTE, UNKNOWN, Finding, Skipped
from envdoctor.model.scenario import DIRECT, Scenario
from envdoctor.model.trace import Trace
from envdoctor.rules.faults import sees_itself

Place = tuple[str, str | None]

#: What is judged where growth is all that is looked for: it, what makes it grow, and what keeps it from being looked for.
GROWTH_CODES = ("LEK", "CLS012", "CLS013", "REG001", "REG002", "MAK001", "HNG", "DOC")

SURVEY = Scenario("survey", "survey")

LIFE = "make reset step:20 render close drop"  # rendered only where it was made with a render mode
FAULT_LIFE = "make reset step close drop"
STILL_SECONDS = 3.0  # in which nothing runs, after a fault, until the call counts as one that hangs
VECTOR_LIFE = "make reset step:20 reset close drop"

#: The plain life, twice: what is taken only once is there before the second.
PLAIN = Scenario("life", f"{LIFE} {LIFE}")

#: What is asked of an instance without a manager, after its plain life.
DIRECT_SCRIPTS = {
    "close-before-reset": "make close drop",
    "close-twice": "make reset close close drop",
    "reopen": "make reset step:5 close reset step:5 close drop",
    "two-at-once": "make make reset@0 reset@1 step:3@0 step:3@1 close@0 step:3@1 close@1 drop",
    "reuse": "make watch reset step:3 reset step:3 reset close drop",
    "pickle": "pickle",
    "abandoned": "make reset step:3 drop",  # last: what it keeps for itself would spoil the others
}

#: Leftovers whose line of code is worth a second look.
TAKINGS_CODES = ("CLS006", "CLS007", "CLS008", "CLS009", "CLS010")


def direct(described: Mapping[str, Any]) -> tuple[Scenario, ...]:
    """The scenarios without a manager that follow the plain life."""
    check = (Scenario("check", "check"),) if described.get("dialect") == "gymnasium" else ()
    return check + tuple(Scenario(name, script) for name, script in DIRECT_SCRIPTS.items())


def managed(
    subject: str, survey: Mapping[str, Any], described: Mapping[str, Any], managers: tuple[str, ...], start_methods: tuple[str, ...]
) -> tuple[tuple[Scenario, ...], tuple[Skipped, ...]]:
    """The scenarios under managers, and the managers that are left out with the reason. Empty selections mean all."""
    scenarios: list[Scenario] = []
    skipped: list[Skipped] = []
    for name, known in (survey.get("managers") or {}).items():
        if managers and name not in managers:
            continue
        reason = _unusable(known, described)
        if reason:
            skipped.append(Skipped("", subject, name, reason))
            continue
        methods = [method for method in known["start_methods"] if method is None or not start_methods or method in start_methods]
        scenarios += [vector_life(name, method) for method in methods]
    return tuple(scenarios), tuple(skipped)


def faults(traces: Iterable[Trace]) -> tuple[Scenario, ...]:
    """A null environment with each fault in one worker, in every place where the subject was played under a manager. Exceptions that
    are hard to send follow where an ordinary one was seen to reach the parent.
    """
    traces = tuple(traces)
    places = dict.fromkeys(trace.scenario.place for trace in traces if trace.scenario.name == "life" and trace.scenario.manager != DIRECT)
    wanted = [_with_fault(*place, fault) for place in places for fault in _faults_in(place[1])]
    wanted += [_with_fault(*place, Fault(kind, 1)) for place in _relayed(traces) for kind in HARD_TO_SEND]
    played = {(trace.scenario.name, trace.scenario.place) for trace in traces}
    return tuple(scenario for scenario in wanted if (scenario.name, scenario.place) not in played)


def _relayed(traces: Iterable[Trace]) -> Iterator[Place]:
    """Where the error of a worker's step() reached the parent."""
    for trace in traces:
        if trace.scenario.fault == Fault(STEP, 1) and trace.scenario.start_method and any(sees_itself(trace)):
            yield trace.scenario.place


def _faults_in(start_method: str | None) -> Iterator[Fault]:
    """The second worker is the one that fails: a manager may depend on the first for more. After a fork it also matters which one
    dies, because a later worker inherits what was open for the earlier ones.
    """
    for kind in KINDS if start_method else IN_PROCESS:
        if kind not in HARD_TO_SEND:
            yield Fault(kind, 1)
    if start_method == "fork":
        yield Fault(KILL, 0)


def _with_fault(manager: str, start_method: str | None, fault: Fault) -> Scenario:
    return Scenario(fault.name, FAULT_LIFE, manager, start_method, control=True, stillness=STILL_SECONDS)


def vector_life(manager: str, start_method: str | None, control: bool = False) -> Scenario:
    """The life under a manager. One that hosts in its own process lives twice, for the same reason as the plain life; a worker
    takes with it what it took only once.
    """
    script = VECTOR_LIFE if start_method else f"{VECTOR_LIFE} {VECTOR_LIFE}"
    return Scenario("life", script, manager, start_method, control=control)


def _unusable(known: Mapping[str, Any], described: Mapping[str, Any]) -> str:
    if not known["available"]:
        return str(known["reason"])
    dialect = described.get("dialect")
    if dialect not in known["dialects"]:
        what = {"gym": "an environment of the older gym", "duck": "none"}.get(str(dialect), "not known well enough")
        return f"it needs a gymnasium.Env; this is {what}, examined without a manager"
    return ""


def follow_ups(findings: Iterable[Finding], traces: Iterable[Trace]) -> tuple[Scenario, ...]:
    """What the first findings make worth playing: the control of each place that a manager may be to blame for, the cure of
    custom spaces, and the lines that took what was left.
    """
    played = {(trace.scenario.name, trace.scenario.place, trace.scenario.control) for trace in traces}
    wanted = dict.fromkeys(scenario for finding in findings for scenario in _follow(finding))
    return tuple(scenario for scenario in wanted if (scenario.name, scenario.place, scenario.control) not in played)


def _follow(finding: Finding) -> Iterator[Scenario]:
    if finding.code in TAKINGS_CODES and finding.manager == DIRECT:
        yield Scenario("takings", f"takings {LIFE}")
    if finding.manager != DIRECT and finding.blame == UNKNOWN and finding.severity != NOTE:
        yield vector_life(finding.manager, finding.start_method, control=True)
    if finding.code == "VEC001" and finding.manager == "gymnasium-async":
        yield Scenario("without-shared-memory", VECTOR_LIFE, finding.manager, finding.start_method, options=(("shared_memory", False),))
