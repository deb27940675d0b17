"""Reasons not to judge the leftovers of a reset() that fails, and leftovers that are not its own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from envdoctor.model.facts import Known
from envdoctor.model.report import Report
from envdoctor.model.scenario import FAILING_RESET, Scenario
from envdoctor.model.trace import Trace
from envdoctor.plan.scenarios import failing
from envdoctor.rules.engine.examples import fact, instance, life_trace, raised, reading, trace, verb
from envdoctor.rules.engine.judging import Judgement, judge
from envdoctor.rules.engine.registry import all_rules
from envdoctor.verdict.policy import Policy, Terms, settle

NOTHING: dict[str, Any] = {"threads": {}, "descriptors": {}}
CAMERA: dict[str, Any] = {"threads": {"7": "camera"}}
POOL: dict[str, Any] = {"threads": {"3": "pool"}}
FULL = raised("RuntimeError", "can't start new thread", function="reset")

LIFE = life_trace(before=NOTHING, made=NOTHING, reset=CAMERA, held=NOTHING)

#: A second instance whose reset() finds its port taken; a reset() that a manager was made to retry.
_TAKEN = raised("OSError", "[Errno 98] Address already in use", function="reset")
FAILED = trace(instance("reset-raised", 2, error=_TAKEN), verb("make"), name="two-at-once")
FAILED_BY_US = replace(FAILED, scenario=Scenario("retried", "", options=(("fails_once", 1),)))


def judged(*traces: Trace) -> Judgement:
    known = Known(is_found=True, env_class="sick.Sick")
    return judge("Sick-v0", known, traces, [all_rules()["CLS020"]])


def played(
    *lives: tuple[dict[str, Any], bool],
    made: dict[str, Any] = NOTHING,
    healthy: dict[str, Any] = NOTHING,
    **told: Any,
) -> Trace:
    """The scenario: what is left of each life, and whether that was closed; before them, what the
    `healthy` one leaves whose reset() goes well.
    """
    events = [reading(point, NOTHING) for point in ("before", "made", "held")]
    events += [reading("collected", healthy)]
    for life, (left, closed) in enumerate(lives, 1):
        value = {"life": life, "asked": 2, "what": "open", "taken": ["threads"], "error": FULL}
        events += [reading("before", NOTHING, life), reading("made", made, life)]
        events += [fact("denied", {**value, **told})]
        events += [reading("held", left, life)] if closed else []
        events += [reading("collected", left, life)]
    return trace(*events, verb("make"), name=FAILING_RESET)


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        ({"asked": 0, "what": "", "error": None}, "asks the system for nothing that Python sees"),
        ({"what": "", "error": FULL}, "could not be made to fail in each life"),
        ({"error": None}, "goes well without the last thing that it asks for"),
        ({"taken": ["descriptors"]}, "before it had taken any of the things that it keeps"),
    ],
)
def test_a_reset_that_could_not_be_made_to_fail(told: dict[str, Any], reason: str) -> None:
    judgement = judged(LIFE, played((NOTHING, True), (NOTHING, False), **told))
    assert not judgement.findings
    assert [reason in one.reason for one in judgement.skipped] == [True]


def test_rule_is_not_judged_where_it_was_not_played() -> None:
    (skipped,) = judged(LIFE).skipped
    assert skipped.reason == "the scenario failing-reset was not played"


def test_leftovers_of_the_constructor_are_not_those_of_reset() -> None:
    judgement = judged(LIFE, played((NOTHING, True), (POOL, False), made=POOL))
    assert not judgement.findings
    assert len(judgement.passed) == 1


def test_acquisition_of_the_first_error_is_not_a_finding() -> None:
    """A log that is opened by the first error is there before the lives that are judged."""
    judgement = judged(LIFE, played((CAMERA, False), (NOTHING, True), (NOTHING, False)))
    assert not judgement.findings


def test_scenario_is_played_only_where_reset_acquires_something() -> None:
    assert [scenario.name for scenario in failing([LIFE])] == [FAILING_RESET]
    assert failing([life_trace(before=NOTHING, made=CAMERA, reset=CAMERA)]) == ()
    assert failing([LIFE, trace(name="reuse", outcome="signalled")]) == ()


@pytest.mark.parametrize(
    ("what", "kept", "severities"),
    [
        # multiprocessing leaves them where it cannot fork
        ("os.fork", {"descriptors": {"4": "pipe:[7]", "5": "pipe:[7]"}}, []),
        ("open", {"descriptors": {"4": "pipe:[7]"}}, ["note"]),
        ("os.fork", {"descriptors": {"4": "/dev/shm/map"}}, ["note"]),
        ("open", {"descriptors": {"4": "/dev/null"}, **CAMERA}, ["warning"]),
    ],
)
def test_descriptors_may_be_a_librarys(
    what: str, kept: dict[str, Any], severities: list[str]
) -> None:
    judgement = judged(LIFE, FAILED, played((kept, True), (kept, False), what=what))
    assert [finding.severity for finding in judgement.findings] == severities


@pytest.mark.parametrize(
    ("lives", "severities"),
    [
        (((NOTHING, True), (CAMERA, False)), ["note"]),  # close() gives it back
        (((CAMERA, False),), ["warning"]),  # nothing is known of close()
        (((CAMERA, True), (CAMERA, False)), ["warning"]),
        ((({"descriptors": {"4": "/dev/null"}}, False),), ["note"]),
    ],
)
def test_severity_of_a_failing_reset_depends_on_its_leftovers(
    lives: tuple[tuple[dict[str, Any], bool], ...], severities: list[str]
) -> None:
    judgement = judged(LIFE, FAILED, played(*lives))
    assert [finding.severity for finding in judgement.findings] == severities


@pytest.mark.parametrize("other", [(), (FAILED_BY_US,)], ids=["none fails", "one that we fail"])
def test_a_reset_that_only_we_made_fail_leaves_a_note(other: tuple[Trace, ...]) -> None:
    judgement = judged(LIFE, *other, played((CAMERA, True), (CAMERA, False)))
    assert [finding.severity for finding in judgement.findings] == ["note"]


def test_a_team_may_make_it_a_warning() -> None:
    findings = judged(LIFE, played((CAMERA, True), (CAMERA, False))).findings
    report = Report((), findings, (), (), (), "")
    settled = settle(report, Policy(Terms(severity={"CLS020": "warning"})))
    assert [finding.severity for finding in settled.findings] == ["warning"]


def test_leftovers_of_a_successful_reset_do_not_count() -> None:
    assert not judged(LIFE, played((CAMERA, True), (CAMERA, False), healthy=CAMERA)).findings


@pytest.mark.parametrize(
    ("raising", "alone", "codes"),
    [(2, "ended", []), (6, "ended", ["CLS020"]), (6, "raised", [])],
    ids=["after a reset() that went well", "after one that failed", "after each"],
)
def test_close_after_a_reset_that_failed(raising: int, alone: str, codes: list[str]) -> None:
    words = ["make", "count", "close", "drop", "make", "deny", "close", "drop"]
    error = {"error": FULL}
    verbs = [
        verb(word, state, at, **(error if state == "raised" else {}))
        for at, word in enumerate(words)
        for state in ("began", "raised" if at == raising else "ended")
    ]
    failing_reset = played((NOTHING, True), (NOTHING, False))
    seen = trace(*failing_reset.events, *verbs, name=FAILING_RESET)
    close = verb("close", alone, 9, **(error if alone == "raised" else {}))
    life = trace(*LIFE.events, close)
    assert [finding.code for finding in judged(life, seen).findings] == codes
