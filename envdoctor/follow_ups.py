"""What findings make worth playing: controls, cures, and searches for the line. Findings and traces in, scenarios out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from envdoctor.model.finding import NOTE, UNKNOWN, Finding
from envdoctor.model.scenario import BY_MAKE_VEC_ENV, DIRECT, WITHOUT_BUFFERS, WITHOUT_SHARED_MEMORY, Scenario
from envdoctor.model.trace import Trace
from envdoctor.opening_again import controls
from envdoctor.planning import (
    CURED,
    ELSEWHERE,
    ELSEWHERE_ALIKE,
    EXECUTED,
    LIFE,
    REPLAY,
    REPLAY_OF_PIPED,
    TORCHRL,
    TWO_AT_ONCE,
    VECTOR_LIFE,
    by_make_vec_env,
    replay_of,
    vector_life,
    without_buffers,
    without_shadow,
)  # fmt: skip

#: Once more, between two that are alone: is it really the other one that changes what an instance returns?
ALONE = "make reset step:18 close drop"
UNDISTURBED = Scenario("undisturbed", f"{ALONE} {TWO_AT_ONCE} {ALONE}")

#: What an environment's own collections hide: whole cycles without them.
UNCOLLECTED = "uncollected warm:3x1x20 block:7x1x20 block:7x1x20 garbage:7x1x20"

#: Leftovers whose line of code is worth a second look.
TAKINGS_CODES = ("CLS006", "CLS007", "CLS008", "CLS009", "CLS010")

#: Side effects whose line of code is worth a search, and the sensors that show them.
EFFECTS = {
    "SFX001": ("signals",), "SFX002": ("directory",), "SFX003": ("environment",), "SFX004": ("random",), "SFX005": ("warnings", "logging"),
    "SFX006": ("stdout",), "SFX007": ("thread-settings",),
}  # fmt: skip

#: What says that instances could not be launched, reset or stepped under a manager.
STOPPED = ("VEC001", "VEC008", "PRC003")


def follow_ups(findings: Iterable[Finding], traces: Iterable[Trace]) -> tuple[Scenario, ...]:
    """What the first findings make worth playing: the control of each place that a manager may be to blame for, the cure of
    custom spaces, that of workers that do not know an environment, an error that may be lost, and the lines that took what was left.
    """
    findings, traces = tuple(findings), tuple(traces)
    played = {(trace.scenario.name, trace.scenario.place, trace.scenario.control) for trace in traces}
    wanted = dict.fromkeys([*(scenario for finding in findings for scenario in _follow(finding)), *_search(findings, traces)])
    wanted |= dict.fromkeys(controls(findings, traces))
    if any(finding.evidence.get("built_by") == BY_MAKE_VEC_ENV for finding in findings):  # is it so in workers, too?
        wanted |= {by_make_vec_env(*place): None for _, place, control in played if place[0] == "sb3-subproc" and not control}
    return tuple(scenario for scenario in sorted(wanted, key=_comes_last) if (scenario.name, scenario.place, scenario.control) not in played)


def _comes_last(scenario: Scenario) -> bool:
    """Whether it compares what others recorded, or needs another probe."""
    return scenario.name in (REPLAY.name, REPLAY_OF_PIPED.name, ELSEWHERE.name, ELSEWHERE_ALIKE.name, "effects")


def _search(findings: Iterable[Finding], traces: Iterable[Trace]) -> Iterator[Scenario]:
    """The search for the lines that have side effects: one for all, last, because it needs a process of its own. There are none
    to be found where the environment comes with the framework.
    """
    if {"gymnasium", "gym"} & {(trace.fact("described") or {}).get("owner") for trace in traces}:
        return
    codes = {finding.code for finding in findings if finding.evidence.get("own_code")}
    sensors = tuple(sensor for code, names in EFFECTS.items() if code in codes for sensor in names)
    if sensors:
        yield Scenario("effects", f"effects {LIFE}", options=(("sensors", sensors),))


def _follow(finding: Finding) -> Iterator[Scenario]:
    if finding.code in TAKINGS_CODES and finding.manager == DIRECT and finding.severity != NOTE:
        yield Scenario("takings", f"takings {LIFE}")
    if finding.code == "MAK005" and finding.evidence.get("comparison"):
        yield UNDISTURBED
    if finding.code == "API012":
        yield Scenario("uncollected", UNCOLLECTED)
    yield from _controls(finding)
    if finding.code == "VEC006" and finding.start_method == "fork" and finding.severity != NOTE:  # the start makes no difference
        yield Scenario("lost-error", f"make reset fail:{finding.evidence['class']}", finding.manager, finding.start_method)
    if finding.code in ("VEC002", "VEC004") and finding.blame == UNKNOWN:
        yield replace(replay_of((finding.manager,)), control=True)
    yield from _cures(finding)
    if finding.code == "DET003" or (finding.code == "VEC004" and finding.start_method in EXECUTED):
        yield from (ELSEWHERE, ELSEWHERE_ALIKE)


def _controls(finding: Finding) -> Iterator[Scenario]:
    """A null environment where the manager may be to blame; launched as it was there."""
    rare = finding.evidence.get("built_by") == WITHOUT_BUFFERS
    if finding.manager == DIRECT or finding.blame != UNKNOWN or (finding.severity == NOTE and not rare):
        return
    yield vector_life(finding.manager, finding.start_method, control=True)
    if rare:
        yield without_buffers(finding.manager, finding.start_method, control=True)


def _cures(finding: Finding) -> Iterator[Scenario]:
    """What is recommended, tried where it was found."""
    place = (finding.manager, finding.start_method)
    if finding.evidence.get("cure"):
        options = (("cure", finding.evidence["cure"]), *finding.evidence.get("cure_options", ()))
        yield Scenario("cured", CURED, *place, options=options)
    if finding.code in ("VEC001", "VEC002", "VEC004") and finding.manager == "gymnasium-async":
        yield Scenario(WITHOUT_SHARED_MEMORY, VECTOR_LIFE, *place, options=(("shared_memory", False),))
    if finding.code in ("VEC002", "VEC004") and finding.manager == "gymnasium-async":
        yield REPLAY_OF_PIPED
    if finding.code in STOPPED and finding.manager.startswith(TORCHRL):
        yield without_buffers(*place)
    if finding.code == "MAK004" and finding.evidence.get("shadowed"):
        yield without_shadow(*finding.evidence["shadowed"])
    if finding.code == "PRC004" and finding.manager == "gymnasium-async":
        yield Scenario("without-daemon", VECTOR_LIFE, *place, options=(("daemon", False),))
