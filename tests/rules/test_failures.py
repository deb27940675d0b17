"""No error, hang or death of the environment is seen and not reported; none is reported twice."""

from __future__ import annotations

from dataclasses import replace

import pytest

from envdoctor.model.facts import Known
from envdoctor.model.finding import Finding, Location, Remedy
from envdoctor.model.trace import INTERRUPTED, SIGNALLED, TIMED_OUT, Outcome, Trace
from envdoctor.rules.engine.examples import fact, instance, raised, trace, verb
from envdoctor.rules.engine.judging import Judgement, judge
from envdoctor.rules.engine.registry import all_rules
from envdoctor.rules.evidence.failures import reported_by

CODES = ("API001", "API014", "API015", "CLS001", "HNG004", "PRC003", "VEC010")
SURVEY = Known(env_class="arm.Arm", is_found=True)
EARLY = raised("builtins.IndexError", "list index out of range", "arm.py", 31, "step")


def judged(*traces: Trace) -> Judgement:
    return judge("Arm-v0", SURVEY, traces, [all_rules()[code] for code in CODES])


def told(*traces: Trace) -> list[str]:
    return [
        f"{one.code} [{one.manager}] {one.message}"
        for one in judged(*traces).findings
        if one.code != "VEC010"
    ]


def life(*more: object, **place: object) -> Trace:
    verbs = [verb("make"), verb("reset", at=1), verb("step:20", at=2), verb("close", at=3)]
    return trace(*verbs, verb("drop", at=4), *more, **place)


def episode(error: object = EARLY, step: int = 40, **place: object) -> Trace:
    failed = verb("episode:2000", "raised", at=2, error=error, episode=1, step=step)
    events = [verb("make"), verb("reset", at=1), instance("step-raised", error=error), failed]
    return trace(*events, name="episode", **place)


AT_40 = (
    "API015 [direct] step() raises IndexError: list index out of range, at step 40 of an episode"
)


def test_an_error_late_in_an_episode_is_reported_with_its_step() -> None:
    assert told(life(), episode()) == [AT_40]
    (finding,) = judged(life(), episode()).findings
    assert (finding.location.file, finding.location.line) == ("arm.py", 31)
    assert finding.severity == "error"


def test_the_same_error_under_a_manager_is_reported_once() -> None:
    under = {"manager": "gymnasium-sync", "start_method": None}
    assert told(life(), episode(), life(**under), episode(**under)) == [AT_40]


def test_an_error_under_a_manager_only_is_reported_there() -> None:
    under = {"manager": "gymnasium-sync", "start_method": None}
    assert told(life(), life(**under), episode(**under)) == [
        AT_40.replace("direct", "gymnasium-sync")
    ]


def test_refusal_of_a_manager_is_not_a_failure_of_the_environment() -> None:
    under = {"manager": "gymnasium-sync", "start_method": None}
    refused = {**raised("ValueError", "shapes differ"), "user": None}
    assert told(life(), life(**under), episode(refused, **under)) == []


def test_failure_that_another_rule_reports_is_not_repeated() -> None:
    failed = trace(verb("make"), verb("reset", at=1), verb("step:20", "raised", at=2, error=EARLY))
    checked = trace(name="check", script="check")
    codes = {line.split()[0] for line in told(failed, checked, episode())}
    assert codes == {"API001"}


def test_a_rule_that_gave_way_did_not_pass() -> None:
    failed = trace(verb("make"), verb("reset", at=1), verb("step:20", "raised", at=2, error=EARLY))
    judgement = judged(failed, trace(name="check", script="check"), episode())
    assert "API015" not in {one.code for one in judgement.passed}
    assert [one.reason for one in judgement.skipped if one.code == "API015"] == [
        "explained by API001"
    ]


def test_only_the_first_error_of_a_lifecycle_counts() -> None:
    after = raised("builtins.AttributeError", "'NoneType' object has no attribute 'send'")
    two = trace(
        verb("make"),
        verb("reset", "raised", at=1, error=EARLY),
        verb("step:5", "raised", at=2, error=after),
        verb("drop", at=3),
        name="abandoned",
    )
    messages = told(life(), two)
    assert len(messages) == 1
    assert "list index" in messages[0]


def test_a_hang_at_the_end_of_an_episode_is_reported_with_its_step() -> None:
    hung = trace(
        verb("make"),
        verb("reset", at=1),
        verb("episode:2000", "began", at=2),
        fact("last-step", {"episode": 1, "step": 200}),
        name="episode",
        outcome=TIMED_OUT,
        verb="episode:2000",
    )
    assert told(life(), hung) == ["HNG004 [direct] step() hangs, at step 200 of an episode"]


def other(message: str, severity: str = "warning", **fields: object) -> Finding:
    return Finding("XXX001", "n", severity, message, Remedy("r"), **fields)


def failure(error: object = None, **fields: object) -> Finding:
    return Finding(
        "API015", "n", "error", "step() fails", Remedy("r"), evidence={"error": error}, **fields
    )


@pytest.mark.parametrize(
    ("finding", "is_reported"),
    [
        (other("step() hangs in arm.py:3"), True),
        (other("a worker died of SIGSEGV in step()"), True),
        (other("the process that hosts the environment ended with exit code 3"), True),
        (other("it ran out of memory in step()"), True),
        (other("SubprocVecEnv waits for ever for it"), True),
        (other("reset() changes the working directory"), False),
        (other("every reset() keeps 4 KiB of native memory"), False),
        (other("step() hangs", severity="note"), False),
        (other("step() hangs", manager="gymnasium-sync"), False),
    ],
)
def test_hang_is_reported_by_its_rule(finding: Finding, is_reported: bool) -> None:
    assert bool(reported_by(failure(), [finding])) is is_reported


@pytest.mark.parametrize(
    ("finding", "is_reported"),
    [
        (other("step() raises ValueError: directory"), True),
        (other("the worker raises RuntimeError: directory"), True),
        (other("reset() changes the working directory"), False),
        (other("close() fails", location=Location("arm.py", 31)), True),
        (other("close() fails", location=Location("arm.py", 32)), False),
        (other("it fails", evidence={"first": [raised("ValueError", "directory")]}), True),
        (other("it fails", evidence={"first": [raised("ValueError", "folder")]}), False),
        (other("step() raises ValueError: directory", severity="note"), True),
    ],
)
def test_error_is_reported_by_its_rule(finding: Finding, is_reported: bool) -> None:
    error = raised("ValueError", "directory", "arm.py", 31, "step")
    assert bool(reported_by(failure(error), [finding])) is is_reported


REMOVED = raised("builtins.ValueError", "list.remove(x): x not in list", "arm.py", 31, "close")


def _cycles(*events: object, name: str = "leak-open-causes", **end: object) -> Trace:
    raises = {"event": "raised", "t": 0.0, "pid": 1, "operation": "close", "error": REMOVED}
    return trace(*events, raises, name=name, script="open suspects:7x1x20 cut:1 shut", **end)


@pytest.mark.parametrize(
    "end",
    [
        {},
        {"outcome": TIMED_OUT, "verb": "close"},
        {"outcome": TIMED_OUT, "verb": "block:7x1x20"},
        {"outcome": SIGNALLED, "signal": "SIGSEGV", "verb": "close"},
    ],
)
def test_nothing_is_accused_where_containers_were_cut_back(end: dict[str, object]) -> None:
    assert told(life(), _cycles(verb("cut:1", at=2, cut=1), **end)) == []
    assert told(life(), _cycles(**end)) != []


def test_a_note_on_something_else_hides_no_hang() -> None:
    hung = trace(verb("make"), name="pickle", outcome=TIMED_OUT, verb="pickle")
    found = Finding("SFX002", "n", "note", "reset() changes the directory", Remedy("r"))
    (told_,) = judged(life(), hung).findings
    assert reported_by(told_, [found]) == ""


def test_rule_passes_where_a_whole_episode_went_well() -> None:
    ended = verb("episode:2000", at=2, steps=9, episodes=[{"step": 9, "how": "terminated"}])
    episode = trace(verb("make"), verb("reset", at=1), ended, name="episode")
    many = trace(verb("make"), verb("beginnings:50x20", at=2), name="beginnings")
    cut = trace(verb("make"), verb("beginnings:50x20", "began", at=2), name="beginnings")
    cut = replace(cut, outcome=Outcome(INTERRUPTED, verb="beginnings:50x20"))
    assert "API015" in {passed.code for passed in judged(life(), episode, many).passed}
    reasons = [
        next(each.reason for each in judged(life(), *others).skipped if each.code == "API015")
        for others in ((), (episode,), (episode, cut))
    ]
    assert reasons == [
        "no whole episode was played",
        "the scenario beginnings was not played",
        "the process ended in one of many episodes (interrupted), so the rest was not played",
    ]
