"""Which scenarios are played: subject and request in, scenarios out. A new scenario is one line here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from envdoctor.model.finding import NOTE, UNKNOWN, Finding, Skipped
from envdoctor.model.scenario import BY_MAKE_VEC_ENV, DIRECT, Scenario
from envdoctor.model.trace import Trace

#: What is judged where growth is all that is looked for: it, what makes it grow, and what keeps it from being looked for.
GROWTH_CODES = ("LEK", "CLS012", "CLS013", "REG001", "REG002", "MAK001", "HNG", "DOC")

SURVEY = Scenario("survey", "survey")

LIFE = "make reset step:20 render close drop"  # rendered only where it was made with a render mode
VECTOR_LIFE = "make reset step:20 reset close drop"

#: Long enough to see that workers came up and play.
CURED = "make reset step:5 close drop"

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
        if name == "sb3-dummy":
            scenarios.append(by_make_vec_env(name, None))
    return tuple(scenarios), tuple(skipped)


def vector_life(manager: str, start_method: str | None, control: bool = False) -> Scenario:
    """The life under a manager. One that hosts in its own process lives twice, for the same reason as the plain life; a worker
    takes with it what it took only once.
    """
    script = VECTOR_LIFE if start_method else f"{VECTOR_LIFE} {VECTOR_LIFE}"
    if control:  # it also confirms what is expected of the manager
        script = script.replace("close", "close close")
    return Scenario("life", script, manager, start_method, control=control)


def by_make_vec_env(manager: str, start_method: str | None) -> Scenario:
    """The same life, built in the way that most scripts build Stable-Baselines3's vectorizers."""
    life = vector_life(manager, start_method)
    return replace(life, name=BY_MAKE_VEC_ENV, options=(("make_vec_env", True),))


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
    custom spaces, that of workers that do not know an environment, and the lines that took what was left.
    """
    traces = list(traces)
    played = {(trace.scenario.name, trace.scenario.place, trace.scenario.control) for trace in traces}
    wanted = dict.fromkeys(scenario for finding in findings for scenario in _follow(finding))
    if any(finding.evidence.get("built_by") == BY_MAKE_VEC_ENV for finding in findings):  # is it so in workers, too?
        wanted |= {by_make_vec_env(*place): None for _, place, control in played if place[0] == "sb3-subproc" and not control}
    return tuple(scenario for scenario in wanted if (scenario.name, scenario.place, scenario.control) not in played)


def _follow(finding: Finding) -> Iterator[Scenario]:
    if finding.code in TAKINGS_CODES and finding.manager == DIRECT:
        yield Scenario("takings", f"takings {LIFE}")
    if finding.manager != DIRECT and finding.blame == UNKNOWN and finding.severity != NOTE:
        yield vector_life(finding.manager, finding.start_method, control=True)
    if finding.evidence.get("cure"):
        options = (("cure", finding.evidence["cure"]), *finding.evidence.get("cure_options", ()))
        yield Scenario("cured", CURED, finding.manager, finding.start_method, options=options)
    if finding.code == "VEC001" and finding.manager == "gymnasium-async":
        yield Scenario("without-shared-memory", VECTOR_LIFE, finding.manager, finding.start_method, options=(("shared_memory", False),))
