"""The findings that are final while scenarios are still to be played."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from envdoctor.model.actions import ActionSource
from envdoctor.model.finding import ENVIRONMENT, ERROR, NOTE, UNKNOWN, Finding, Remedy
from envdoctor.model.scenario import DIRECT
from envdoctor.model.subject import Subject
from envdoctor.model.trace import Trace
from envdoctor.rules.engine.examples import trace
from envdoctor.rules.engine.registry import EVERYTHING, Rule
from envdoctor.verdict.diagnosis import RunEvidence
from envdoctor.verdict.finality import complete_findings, final_findings

SUBJECT = Subject("arm.py:Arm", "file")
SYNC = {"manager": "gymnasium-sync"}


def rule(code: str = "AAA001", **fields: Any) -> Rule:
    return Rule(
        **{
            "code": code,
            "name": "arm-drops",
            "severity": ERROR,
            "where": "everywhere",
            "needs": ("life",),
            "verb": "",
            "sensors": (),
            "meters": (),
            "start_methods": (),
            "blames_itself": False,
            "compares": "",
            "judge": lambda _view: iter(()),
            "manual": "",
            **fields,
        }
    )


def finding(code: str = "AAA001", **fields: Any) -> Finding:
    return Finding(
        **{
            "code": code,
            "name": "arm-drops",
            "severity": ERROR,
            "message": "the arm drops",
            "remedy": Remedy(""),
            "subject": SUBJECT.text,
            "manager": DIRECT,
            "blame": ENVIRONMENT,
            **fields,
        }
    )


def scenarios(*names: str, **place: Any) -> tuple[Trace, ...]:
    return tuple(trace(name=name, **place) for name in names)


def are_final(traces: tuple[Trace, ...], *rules: Rule, **fields: Any) -> bool:
    return bool(
        final_findings([finding(**fields)], RunEvidence(SUBJECT, traces), rules or (rule(),))
    )


def test_a_finding_is_final_once_its_scenario_was_played() -> None:
    assert not are_final(scenarios("survey"))
    assert are_final(scenarios("survey", "life"))


def test_a_finding_waits_for_each_scenario_that_its_rule_looks_at() -> None:
    looks = rule(looks_at=(("life", "make"), ("reuse", "reset")))
    assert not are_final(scenarios("survey", "life"), looks)
    assert are_final(scenarios("survey", "life", "reuse"), looks)


def test_a_finding_waits_for_what_its_rule_also_reads() -> None:
    reads = rule(also_reads=("reuse",))
    assert not are_final(scenarios("life"), reads)
    assert are_final(scenarios("life", "reuse"), reads)


@pytest.mark.parametrize("name", ["acquisitions", EVERYTHING])
def test_rule_that_adds_to_a_finding_keeps_it_incomplete(name: str) -> None:
    reads = rule(also_reads=(name,))
    assert are_final(scenarios("life"), reads)
    assert not are_complete(scenarios("life"), reads)


def test_a_finding_is_complete_once_all_was_played_that_adds_to_it() -> None:
    reads = rule(also_reads=("acquisitions",))
    assert are_complete(scenarios("life", "acquisitions"), reads)


def test_a_finding_with_a_scenario_worth_playing_is_not_complete() -> None:
    assert are_complete(scenarios("life"), rule(), evidence={})
    curable = {"cure": "own-spaces", "cure_options": ()}
    assert not are_complete(scenarios("life"), rule(), evidence=curable)


def are_complete(traces: tuple[Trace, ...], *rules: Rule, **fields: Any) -> bool:
    own = [finding(**fields)]
    return bool(complete_findings(own, own, RunEvidence(SUBJECT, traces), rules))


def test_a_finding_is_not_complete_while_another_one_wants_what_its_rule_reads() -> None:
    other = finding(evidence={"cure": "own-spaces", "cure_options": ()})
    own, so_far = [finding()], RunEvidence(SUBJECT, scenarios("life"))
    assert complete_findings(own, [*own, other], so_far, [rule()])
    assert not complete_findings(own, [*own, other], so_far, [rule(follow_ups=("cured",))])


def test_under_a_manager_any_scenario_that_the_rule_needs_is_enough() -> None:
    needs = rule(needs=("close-twice", "life"), looks_at=(("reuse", ""), ("life", "")))
    assert are_final(scenarios("life", **SYNC), needs, **SYNC)


@pytest.mark.parametrize(("name", "final"), [("acquisitions", True), ("undisturbed", False)])
def test_a_finding_waits_for_follow_ups_that_decide_and_for_no_search(
    name: str, final: bool
) -> None:
    follows = rule(follow_ups=(name,))
    assert are_final(scenarios("life"), follows) is final
    assert are_final(scenarios("life", name), follows)


@pytest.mark.parametrize("fields", [{"meters": ("heap",)}, {"in_leak_check": True}])
def test_growth_waits_until_another_scenario_follows_the_blocks(fields: dict[str, Any]) -> None:
    grows = rule(**fields)
    blocks = scenarios("survey", "life", "leak-warm", "leak", "leak")
    assert not are_final(scenarios("survey", "life"), grows)
    assert not are_final(blocks, grows)
    assert not are_final((*blocks, *scenarios("acquisitions", "leak")), grows)
    assert not are_final((*blocks, *scenarios("acquisitions")), grows)
    assert are_final((*blocks, *scenarios("check")), grows)
    assert not are_final((*blocks, *scenarios("check", "leak")), grows)
    assert are_final((*blocks, *scenarios("life", **SYNC)), grows)


def test_rule_with_a_control_waits_for_it() -> None:
    counts, traces = rule(sensors=("threads",)), scenarios("life", **SYNC)
    assert not are_final(traces, counts, **SYNC)
    assert not are_final((*traces, *scenarios("life", control=True)), counts, **SYNC)
    assert are_final((*traces, *scenarios("life", control=True, **SYNC)), counts, **SYNC)


def test_blame_that_is_not_decided_waits() -> None:
    assert not are_final(scenarios("life"), blame=UNKNOWN)


def test_a_note_waits_for_the_end() -> None:
    assert not are_final(scenarios("life"), severity=NOTE)


def test_a_last_resort_waits_for_the_end() -> None:
    assert not are_final(scenarios("life"), rule(last_resort=True))


def test_a_finding_waits_until_what_may_explain_it_was_looked_at() -> None:
    weak = rule(gives_way=("BBB001",))
    strong = rule("BBB001", looks_at=(("life", ""), ("reuse", "")))
    assert not are_final(scenarios("life"), weak, strong)
    assert are_final(scenarios("life", "reuse"), weak, strong)


def test_a_rule_that_was_not_selected_explains_nothing() -> None:
    assert are_final(scenarios("life"), rule(gives_way=("BBB001",)))


def test_explanations_in_evidence_are_waited_for() -> None:
    strong = rule("BBB001", looks_at=(("reuse", ""),))
    assert not are_final(scenarios("life"), rule(), strong, explained_by=("BBB001",))


def test_a_finding_of_no_rule_waits() -> None:
    assert not are_final(scenarios("life"), code="DOC003")


def test_two_with_one_fingerprint_wait() -> None:
    twins = [finding(), finding(message="the arm drops again")]
    assert final_findings(twins, RunEvidence(SUBJECT, scenarios("life")), [rule()]) == ()


@pytest.mark.parametrize(("is_function", "final"), [(True, False), (False, True)])
def test_all_rules_wait_where_a_function_gives_the_actions(is_function: bool, final: bool) -> None:
    source = ActionSource("drive", name="drive" if is_function else "")
    seen = RunEvidence(replace(SUBJECT, action=source), scenarios("life"))
    assert bool(final_findings([finding()], seen, [rule()])) is final
