"""Scenarios that findings call for: controls, cures, and searches for the line. Findings and traces
in, scenarios out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from envdoctor.analysis.growth.sides import INSTANCE
from envdoctor.frameworks import PROFILES, vectorizer_of
from envdoctor.frameworks.profile import Options
from envdoctor.model.evidence import (
    ByOwnCode,
    Comparing,
    Curable,
    DrawnUnseeded,
    Failing,
    Growing,
    Launched,
    OfEpisodes,
    OfUsedAddress,
    PlayedScenario,
    Shadowed,
    Unpicklable,
    WrappedEvidence,
    read_evidence,
)
from envdoctor.model.facts import Described, Survey
from envdoctor.model.finding import NOTE, UNKNOWN, Finding
from envdoctor.model.scenario import (
    DIRECT,
    EXECUTED,
    FAILING_AGAIN,
    FILES,
    FREED_LATE,
    IMAGES,
    RGB_ARRAY,
    WITHOUT_BUFFERS,
    WITHOUT_SHARED_MEMORY,
    Scenario,
)
from envdoctor.model.trace import TIMED_OUT, Trace
from envdoctor.plan.comparisons import DRAWN_BESIDE
from envdoctor.plan.hangs import hanging
from envdoctor.plan.leak_session import Effort
from envdoctor.plan.relaunches import controls
from envdoctor.plan.scenarios import (
    CURED,
    DRAWN_ALONE,
    LIFE,
    MORE_SEEDS,
    NONZERO_SEEDS,
    OTHER_PROCESS,
    OTHER_PROCESS_ALIKE,
    REPLAY_OF_PIPED,
    TWO_AT_ONCE,
    VECTOR_LIFE,
    confirming,
    launched_otherwise,
    replay_of,
    vector_life,
    without_buffers,
    without_shadow,
)
from envdoctor.rules.engine.registry import rule_of
from envdoctor.rules.evidence.comparisons import AGAIN

#: Once more, between two that are alone: is it really the other one that changes what an instance
#: returns?
ALONE = "make reset step:18 close drop"
UNDISTURBED = Scenario("undisturbed", f"{ALONE} {TWO_AT_ONCE} {ALONE}")

#: What a closed instance frees when it is collected: is it another one's by then?
COLLECTED_LATE = Scenario(
    FREED_LATE, "make reset@0 step:3@0 close@0 make reset@1 step:3@1 drop@0 step:3@1 close@1 drop"
)

#: What two instances share and change, and whether they are as alone where each has its own.
TRIES = 9  # all of it, and twice a half for each of 16, 8, 4 and 2 places
SEPARATED = Scenario("apart", " ".join([ALONE, TWO_AT_ONCE, *["apart", TWO_AT_ONCE] * TRIES]))

#: What the first instance changed in modules and classes, so that no second one can be made.
BLOCKING_STATE = "blocking-state"
BLOCKED = Scenario(BLOCKING_STATE, "remember make reset step:3 close drop restore")

#: The search for lines that acquire something, and the most lives in which it is made.
ACQUISITIONS = "acquisitions"
MOST_LIFECYCLES = 12

#: What an environment's own collections hide: whole cycles without them.
UNCOLLECTED = "uncollected warm:3x1x20 block:7x1x20 block:7x1x20 garbage:7x1x20"

#: What waits for the collector, and which lines made it.
WASTE = "warm:2x1x20 garbage:3x1x20"

#: What keeps the port that a constructor cannot bind, in a first instance or after a close.
PORTS = Scenario("ports", "binds make ports reset step:3 close drop make ports close drop")

#: In which attributes of an instance something of an episode lives on.
LEFTOVER, SHORT = "leftover", 3  # the steps of an episode, where few are enough

#: As many resets as show several errors of those that only some have, and the most.
CAUGHT, MOST_CAUGHT = 8, 128
#: Operations in which errors may be caught, and a share of what they leave: cycles repeat actions,
#: and other actions may leave less.
CAUGHT_IN = {"reset": 1.0, "step": 0.5, "episode": 0.5}

#: Which layer of a wrapped environment makes it.
ORIGIN = Scenario("origin", "warm:2x1x20 origin:3x1x20")


def follow_ups(
    findings: Iterable[Finding], traces: Iterable[Trace], start_methods: Iterable[str] = ()
) -> tuple[Scenario, ...]:
    """Return the scenarios that the first findings call for, also those left out where no
    `start_methods` were asked for: the control of each place that a manager may be to blame for,
    the cure of custom spaces, that of workers that do not know an environment, an error that may be
    lost, and the lines that acquired what was left.
    """
    findings, traces = tuple(findings), tuple(traces)
    names = {
        (trace.scenario.name, trace.scenario.place, trace.scenario.control) for trace in traces
    }
    wanted = dict.fromkeys(
        [
            *(scenario for finding in findings for scenario in _follow(finding)),
            *_search(findings, traces),
        ]
    )
    wanted |= dict.fromkeys(controls(findings, traces))
    wanted = _joined(wanted)
    if not start_methods and not hanging(traces):
        places = {place for _, place, _ in names}
        survey = next(filter(None, (trace.fact(Survey) for trace in traces)), Survey())
        wanted |= dict.fromkeys(
            scenario for finding in findings for scenario in confirming(finding, survey, places)
        )
    # Is it so in workers, too?
    built_by = {read_evidence(Launched, finding.evidence).built_by for finding in findings}
    for _, place, control in names:
        if place[1] is not None and not control:
            wanted |= {
                scenario: None
                for scenario in launched_otherwise(*place)
                if scenario.name in built_by
            }
    return tuple(
        scenario
        for scenario in sorted(wanted, key=_comes_last)
        if (scenario.name, scenario.place, scenario.control) not in names
        and not (scenario.name == FAILING_AGAIN and is_hopeless_again(scenario, traces))
    )


def _joined(wanted: Iterable[Scenario]) -> dict[Scenario, None]:
    """The scenarios, with one search for acquisitions in the place of several: what the others
    play is played in it, too.
    """
    searches = [each for each in wanted if each.name == ACQUISITIONS]
    scripts = sorted({each.script.partition(" ")[2] for each in searches}, key=len, reverse=True)
    kept: list[str] = []
    for script in scripts:
        if not any(script in longer for longer in kept):
            kept.append(script)
    others = [each for each in wanted if each.name != ACQUISITIONS]
    search = [Scenario(ACQUISITIONS, " ".join([ACQUISITIONS, *kept]))] if searches else []
    return dict.fromkeys([*others, *search])


def explaining_growth(wanted: Iterable[Scenario], effort: Effort) -> tuple[Scenario, ...]:
    """Those that a leak check plays: what explains growth, where it is to be explained."""
    return tuple(
        scenario for scenario in wanted if effort.explain and scenario.traits.explains_growth
    )


def is_hopeless_again(scenario: Scenario, traces: Iterable[Trace]) -> bool:
    """True where the launch hung: it would be waited for once more."""
    return any(
        trace.outcome.kind == TIMED_OUT
        for trace in traces
        if trace.scenario.place == scenario.place and not trace.scenario.control
    )


def _comes_last(scenario: Scenario) -> bool:
    """Return True if it compares what others recorded, or needs another probe."""
    return scenario.traits.compares_last


def _search(findings: Iterable[Finding], traces: Iterable[Trace]) -> Iterator[Scenario]:
    """The search for the lines that have side effects: one for all, last, because it needs a
    process of its own. There are none to be found where the environment comes with the framework.
    """
    owners = {described.owner for trace in traces for described in trace.facts(Described)}
    if owners & {profile.package for profile in PROFILES if profile.registry}:
        return
    sensors = tuple(
        sensor
        for rule in dict.fromkeys(
            rule_of(finding.code)
            for finding in findings
            if read_evidence(ByOwnCode, finding.evidence).own_code
        )
        if rule is not None and "effects" in rule.follow_ups
        for sensor in rule.sensors
    )
    if sensors:
        yield Scenario("effects", f"effects {LIFE}", options=(("sensors", sensors),))


def _follow(finding: Finding) -> Iterator[Scenario]:
    """Yield the follow-ups of the finding's rule, where the finding calls for them."""
    yield from _controls(finding)
    curable = read_evidence(Curable, finding.evidence)
    if curable.cure:
        place = (finding.manager, finding.start_method)
        options = (("cure", curable.cure), *curable.cure_options)
        yield failing_again(finding, curable.cure_options)
        yield Scenario("cured", CURED, *place, options=options)
    rule = rule_of(finding.code)
    names = rule.follow_ups if rule is not None else ()
    more = [
        scenario for name in names if name in FOLLOW_UPS for scenario in FOLLOW_UPS[name](finding)
    ]
    if more and FAILING_AGAIN in names:
        yield failing_again(finding)
    yield from more


def failing_again(finding: Finding, options: Options = ()) -> Scenario:
    """The launch in which a finding was made, once more before what may cure it is played: what is
    gone by itself in a new process was not cured.
    """
    life = vector_life(finding.manager, finding.start_method)
    return replace(life, name=FAILING_AGAIN, options=options)


def _controls(finding: Finding) -> Iterator[Scenario]:
    """A null environment where the manager may be to blame; launched as it was there."""
    rare = read_evidence(Launched, finding.evidence).built_by == WITHOUT_BUFFERS
    if (
        finding.manager == DIRECT
        or finding.blame != UNKNOWN
        or (finding.severity == NOTE and not rare)
    ):
        return
    yield vector_life(finding.manager, finding.start_method, control=True)
    if rare:
        yield without_buffers(finding.manager, finding.start_method, control=True)


def _acquisitions(finding: Finding) -> Iterator[Scenario]:
    """Yield the search for the lines that acquired what was left: in as many lives, or resets of
    an instance that stays open, as show what only some of them leave.
    """
    if finding.manager == DIRECT and finding.severity != NOTE:
        growing = read_evidence(Growing, finding.evidence)
        rate = growing.per_cycle or 1.0
        times = 1 if rate >= 1 else min(MOST_LIFECYCLES, math.ceil(2 / rate))
        opened = growing.side == INSTANCE and times > 1
        lifecycles = (
            ["make", *["reset step:20"] * times, "close drop"] if opened else [LIFE] * times
        )
        yield Scenario(ACQUISITIONS, " ".join([ACQUISITIONS, *lifecycles]))


def _undisturbed(finding: Finding) -> Iterator[Scenario]:
    if read_evidence(Comparing, finding.evidence).comparison:
        yield UNDISTURBED


def _separate(finding: Finding) -> Iterator[Scenario]:
    shown_by = read_evidence(PlayedScenario, finding.evidence).scenario
    if shown_by == IMAGES:
        mode = (("render_mode", RGB_ARRAY),) if finding.severity == NOTE else ()
        words = ["windowless"] * len(mode) + [DRAWN_ALONE, DRAWN_BESIDE]
        yield Scenario("apart", " ".join(words + ["apart", DRAWN_BESIDE] * TRIES), options=mode)
    elif finding.severity != NOTE and shown_by != FREED_LATE:
        yield SEPARATED


def _blocking_state(finding: Finding) -> Iterator[Scenario]:
    """Search for what keeps a second instance from being made, also in the files that its error
    went through.
    """
    error = read_evidence(Failing, finding.evidence).error
    if error is not None:
        files = tuple(sorted({frame.file for frame in error.frames}))
        yield replace(BLOCKED, options=((FILES, files),))


def _freed_late(_finding: Finding) -> Iterator[Scenario]:
    yield COLLECTED_LATE


def _uncollected(_finding: Finding) -> Iterator[Scenario]:
    yield Scenario("uncollected", UNCOLLECTED)


def _waste(_finding: Finding) -> Iterator[Scenario]:
    yield Scenario("waste", WASTE)


def _origin(finding: Finding) -> Iterator[Scenario]:
    if read_evidence(WrappedEvidence, finding.evidence).wrappers:
        yield ORIGIN


def _lost_error(finding: Finding) -> Iterator[Scenario]:
    """An error that may be lost, raised in a worker. The start makes no difference."""
    if finding.start_method == "fork" and finding.severity != NOTE:
        yield Scenario(
            "lost-error",
            f"make reset fail:{read_evidence(Unpicklable, finding.evidence).class_name}",
            finding.manager,
            finding.start_method,
        )


def _nonzero_seeds(_finding: Finding) -> Iterator[Scenario]:
    yield NONZERO_SEEDS


def _more_seeds(finding: Finding) -> Iterator[Scenario]:
    """Longer lives with more seeds, where what differed may be chance."""
    if read_evidence(DrawnUnseeded, finding.evidence).unseeded:
        yield MORE_SEEDS


def _replayed_control(finding: Finding) -> Iterator[Scenario]:
    if finding.blame == UNKNOWN:
        yield replace(replay_of((finding.manager,)), control=True)


def _other_process(finding: Finding) -> Iterator[Scenario]:
    """In another process; of what differs under a manager, where that has such."""
    if finding.manager == DIRECT or finding.start_method in EXECUTED:
        yield from (OTHER_PROCESS, OTHER_PROCESS_ALIKE)


def _without_shared_memory(finding: Finding) -> Iterator[Scenario]:
    options = vectorizer_of(finding.manager).without_shared_memory
    if options:
        place = (finding.manager, finding.start_method)
        yield Scenario(WITHOUT_SHARED_MEMORY, VECTOR_LIFE, *place, options=options)


def _replayed_piped(finding: Finding) -> Iterator[Scenario]:
    if vectorizer_of(finding.manager).without_shared_memory:
        yield REPLAY_OF_PIPED


def _without_buffers(finding: Finding) -> Iterator[Scenario]:
    if vectorizer_of(finding.manager).without_buffers:
        yield without_buffers(finding.manager, finding.start_method)


def _without_shadow(finding: Finding) -> Iterator[Scenario]:
    place = read_evidence(Shadowed, finding.evidence).shadowed
    if place:
        yield without_shadow(*place)


def _without_daemon(finding: Finding) -> Iterator[Scenario]:
    options = vectorizer_of(finding.manager).without_daemon
    if options:
        place = (finding.manager, finding.start_method)
        yield Scenario("without-daemon", VECTOR_LIFE, *place, options=options)


def _ports(finding: Finding) -> Iterator[Scenario]:
    """The scenario that finds which port is in use, and in which state it is."""
    if read_evidence(OfUsedAddress, finding.evidence).address_in_use:
        yield PORTS


def _layers(finding: Finding) -> Iterator[Scenario]:
    """The layers of a wrapped environment, each without what is around it."""
    evidence = read_evidence(WrappedEvidence, finding.evidence)
    if evidence.wrappers or evidence.held:
        yield Scenario("layers", "layers:3")


def _leftover(finding: Finding) -> Iterator[Scenario]:
    """The attributes that keep something of an episode, where fresh instances agree."""
    evidence = read_evidence(OfEpisodes, finding.evidence)
    if evidence.between == AGAIN and not evidence.unseeded:
        yield Scenario(LEFTOVER, f"{LEFTOVER}:{evidence.episode or SHORT}")


def _caught(finding: Finding) -> Iterator[Scenario]:
    """Errors that are caught, where only some resets leave something, or steps do: which of them,
    their actions decide.
    """
    rates = read_evidence(Growing, finding.evidence).per_operation
    rate = min(
        (rates[name] * share for name, share in CAUGHT_IN.items() if name in rates), default=1
    )
    if 0 < rate < 1:
        yield Scenario("caught", f"caught:{min(MOST_CAUGHT, math.ceil(CAUGHT / rate))}")


#: What rules name in `follow_ups`; `effects` is one for all of them.
FOLLOW_UPS: dict[str, Callable[[Finding], Iterator[Scenario]]] = {
    "other-process": _other_process,
    "lost-error": _lost_error,
    "nonzero-seeds": _nonzero_seeds,
    "more-seeds": _more_seeds,
    "replay": _replayed_control,
    "replay-of-piped": _replayed_piped,
    "acquisitions": _acquisitions,
    "uncollected": _uncollected,
    "waste": _waste,
    "origin": _origin,
    "layers": _layers,
    "leftover": _leftover,
    "caught": _caught,
    "ports": _ports,
    "undisturbed": _undisturbed,
    "apart": _separate,
    BLOCKING_STATE: _blocking_state,
    FREED_LATE: _freed_late,
    "without-buffers": _without_buffers,
    "without-daemon": _without_daemon,
    "without-shadow": _without_shadow,
    WITHOUT_SHARED_MEMORY: _without_shared_memory,
}
