"""The findings that are final while scenarios are still to be played: nothing that may come
withdraws them, explains them, or makes another finding of them.

Rules say what they look at, so that is known for each of them. A finding is final once all of this
was played in its place, for its own rule and for each rule that it may give way to:

- the scenarios that the rule needs, looks at and also reads,
- its follow-ups,
- all blocks of the leak check, where the rule judges growth,
- the control, where what the control shows is taken off,
- the plain life alone, where it was played together with a whole episode.

What only adds to the remedy, the place or the evidence of a finding is not waited for; where
nothing of that is to come either, the finding is complete.

Blame that is not decided waits for its control. A note, and a last resort, waits for the end: each
gives way to what other rules say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from envdoctor.model.facts import Described
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import NOTE, UNKNOWN, Finding
from envdoctor.model.scenario import DIRECT, Scenario
from envdoctor.model.trace import Trace
from envdoctor.plan.follow_ups import follow_ups
from envdoctor.rules.engine.registry import DIRECT_ONLY, EVERYTHING, Rule
from envdoctor.verdict.diagnosis import RunEvidence

Place = tuple[str, str | None]  # manager, start method

#: Read for the remedy, the place and the evidence of a finding. Its message stays as it is.
LINES = "acquisitions"
ADDED = frozenset([LINES, EVERYTHING])


@dataclass(frozen=True)
class PlaceProgress:
    """The scenarios of one place so far, by name, and those of all places (`anywhere`). `together`:
    its plain life had a whole episode, so that a finding has it played alone.
    """

    place: Place
    names: frozenset[str]
    anywhere: frozenset[str]
    has_control: bool
    growth_is_over: bool
    together: bool = False

    def has_all_of(self, rule: Rule) -> bool:
        """True where nothing is to come that the rule looks at."""
        is_direct = self.place[0] == DIRECT
        needs = rule.needs[:1] if is_direct else rule.needs
        looks_at = {name for name, _ in rule.looks_at if is_direct or name in needs}
        decisive = {*rule.follow_ups, *rule.also_reads} - ADDED
        return (
            not self.together
            and (not needs or not self.names.isdisjoint(needs))
            and looks_at <= self.names
            and decisive <= self.anywhere
            and (self.growth_is_over or not (rule.meters or rule.in_leak_check))
            and (is_direct or self.has_control or not rule.subtracts_control)
        )


def final_findings(
    findings: Iterable[Finding], so_far: RunEvidence, rules: Iterable[Rule]
) -> tuple[Finding, ...]:
    """Those of the findings that the rest of the run can only add to. `rules` are all by which they
    were made. Two with one fingerprint wait for the end, where both are known. So does each finding
    where a function of the user's gives the actions: lines that are found later may be that one's.
    """
    action, traces = so_far.subject.action, so_far.traces
    if action is not None and action.is_function:
        return ()
    findings, by_code = tuple(findings), {rule.code: rule for rule in rules}
    numbers = Counter(finding.fingerprint for finding in findings)
    places = {(finding.manager, finding.start_method) for finding in findings} | {(DIRECT, None)}
    progress = {place: progress_in(place, traces) for place in places}
    return tuple(
        finding
        for finding in findings
        if numbers[finding.fingerprint] == 1
        and _is_final(finding, progress, by_code)
        and not _may_be_a_wrappers(finding, by_code, traces)
    )


def complete_findings(
    final: Iterable[Finding],
    findings: Iterable[Finding],
    so_far: RunEvidence,
    rules: Iterable[Rule],
) -> tuple[Finding, ...]:
    """Those of the final findings to which the rest of the run adds nothing, but for the code of
    their remedies: all was played that their rules read, and nothing is worth playing for them, nor
    for another one of the `findings` so far that their rules would read as well.
    """
    by_code = {rule.code: rule for rule in rules}
    wanted = {scenario.name for scenario in follow_ups(findings, so_far.traces)}
    names = {trace.scenario.name for trace in so_far.traces if not trace.scenario.control}
    return tuple(
        finding
        for finding in final
        if names.issuperset(by_code[finding.code].also_reads)
        and wanted.isdisjoint(by_code[finding.code].follow_ups)
        and not follow_ups([finding], so_far.traces)
    )


def _is_final(
    finding: Finding, progress: Mapping[Place, PlaceProgress], rules: Mapping[str, Rule]
) -> bool:
    rule = rules.get(finding.code)
    if rule is None or rule.last_resort or finding.severity == NOTE:
        return False
    if finding.blame == UNKNOWN:
        return False
    here, alone = progress[finding.manager, finding.start_method], progress[DIRECT, None]
    codes = {*rule.explained_by, *finding.explained_by, *finding.explained_alone}
    return here.has_all_of(rule) and all(
        (alone if rules[code].where == DIRECT_ONLY else here).has_all_of(rules[code])
        for code in codes
        if code in rules
    )


def _may_be_a_wrappers(
    finding: Finding, rules: Mapping[str, Rule], traces: Sequence[Trace]
) -> bool:
    """True while the line that took something is not known, and a wrapper may have it."""
    rule = rules[finding.code]
    if LINES not in {*rule.follow_ups, *rule.also_reads}:
        return False
    described = [known for trace in traces for known in [trace.fact(Described)] if known]
    wrapped = any(known.wrappers for known in described)
    names = {trace.scenario.name for trace in traces}
    return wrapped and LINES not in names


def progress_in(place: Place, traces: Sequence[Trace]) -> PlaceProgress:
    """Return which scenarios of a place are done."""
    scenarios = [trace.scenario for trace in traces if not trace.scenario.fault]
    own = [each for each in scenarios if not each.control and each.place == place]
    return PlaceProgress(
        place,
        frozenset(each.name for each in own),
        frozenset(each.name for each in scenarios if not each.control),
        any(each.control and each.place == place for each in scenarios),
        _growth_is_over(place, scenarios),
        any(each.traits.plain and each.whole_episodes for each in own),
    )


def _growth_is_over(place: Place, scenarios: Sequence[Scenario]) -> bool:
    """True once a scenario was played that the plan has after the leak check of the place, and no
    further block came since.
    """
    own = [number for number, each in enumerate(scenarios) if each.place == place]
    after = [number for number in own if _comes_after_growth(scenarios[number])]
    blocks = [number for number in own if scenarios[number].traits.growth]
    in_other_places = bool(own) and own[-1] < len(scenarios) - 1
    return in_other_places or (bool(after) and max(blocks, default=-1) < after[-1])


def _comes_after_growth(scenario: Scenario) -> bool:
    traits = scenario.traits
    before = traits.surveys or traits.plain or scenario.whole_episodes
    return not (before or traits.growth or traits.on_demand or scenario.control)
