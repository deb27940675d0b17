"""Findings are announced once each, while scenarios are still to be played."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from envdoctor.model.environment_aims import Forget
from envdoctor.model.facts import Known
from envdoctor.model.finding import ENVIRONMENT, ERROR, NOTE, Finding, Remedy
from envdoctor.model.scenario import DIRECT
from envdoctor.model.subject import Subject
from envdoctor.model.trace import Trace
from envdoctor.rules.engine.examples import raised, trace, verb
from envdoctor.rules.engine.judging import Judgement, judge
from envdoctor.rules.engine.registry import Rule, rule_of
from envdoctor.run.announcing import Announcing, Listener, Listeners, Pace
from envdoctor.verdict.diagnosis import Run, RunEvidence

SUBJECT = Subject("arm.py:Arm", "file")
SURVEY = trace(name="survey")
TWICE = trace(
    verb("make"),
    verb("reset"),
    verb("close"),
    verb("close", "raised", error=raised("ValueError", "closed")),
    name="close-twice",
    script="make reset close close drop",
)


class Heard(Listener):
    """Keeps the messages that it gets."""

    def __init__(self, is_eager: bool = True) -> None:
        self.is_eager = is_eager
        self.runs: list[Run] = []
        self.finals: list[str] = []
        self.completes: list[str] = []

    def begin(self, run: Run) -> None:
        self.runs.append(run)

    def final(self, findings: Iterable[Finding]) -> None:
        self.finals += [finding.message for finding in findings]

    def complete(self, findings: Iterable[Finding]) -> None:
        self.completes += [finding.message for finding in findings]


@dataclass
class FakePlay:
    """Stand-in for the part of a play that an announcement uses."""

    traces: list[Trace] = field(default_factory=list)
    interrupted: bool = False

    def evidence_so_far(self) -> RunEvidence:
        return RunEvidence(SUBJECT, tuple(self.traces))


@dataclass
class Clock:
    """A clock that stands still until it is set."""

    seconds: float = 0.0

    def __call__(self) -> float:
        return self.seconds


def rules() -> tuple[Rule, ...]:
    (rule,) = filter(None, [rule_of("CLS003")])
    return (rule,)


def announcing(listener: Listener, **fields: bool) -> Announcing:
    return Announcing(listener, rules, **fields)


def finding(message: str, severity: str = ERROR, aimed: bool = False) -> Finding:
    remedy = Remedy("", aim=Forget("sick.OPEN") if aimed else None)
    place = {"subject": SUBJECT.text, "manager": DIRECT, "blame": ENVIRONMENT}
    return Finding("CLS003", "x", severity, message, remedy, key=(message,), **place)


def play(announced: Announcing, run: FakePlay, *traces: Trace) -> None:
    for each in traces:
        run.traces.append(each)
        announced.on_scenario_end(run)  # type: ignore[arg-type]


def free() -> Pace:
    return Pace(cpu=Clock())


def test_a_finding_is_announced_once_when_its_scenario_is_over() -> None:
    heard, run = Heard(), FakePlay()
    announced = replace(announcing(heard), pace=free())
    play(announced, run, SURVEY, trace(verb("make"), verb("close")))
    assert heard.finals == []
    play(announced, run, TWICE)
    assert len(heard.finals) == 1
    assert heard.finals[0].startswith("a second close() raises ValueError: closed")
    play(announced, run, trace(name="reuse"))
    assert len(heard.finals) == 1


def test_without_an_eager_listener_nothing_is_judged_on_the_way() -> None:
    heard = Heard(is_eager=False)
    announced = Announcing(heard, rules=lambda: 1 / 0)  # type: ignore[arg-type,return-value]
    play(announced, FakePlay(), SURVEY, TWICE)
    announced.judged(RunEvidence(SUBJECT, (TWICE,)), Judgement((finding("a"),)))
    assert heard.finals == []


def test_an_interrupted_run_announces_nothing_more() -> None:
    heard = Heard()
    play(announcing(heard), FakePlay(interrupted=True), SURVEY, TWICE)
    assert heard.finals == []


def test_controls_and_blocks_of_the_leak_check_are_not_judged() -> None:
    heard, run = Heard(), FakePlay([SURVEY, TWICE])
    announced = replace(announcing(heard), pace=free())
    play(announced, run, trace(name="leak"), trace(control=True, manager="gymnasium-sync"))
    assert heard.finals == []


def test_the_next_judgement_waits_until_it_takes_no_more_than_its_share() -> None:
    clock, cpu = Clock(), Clock()
    pace = Pace(share=0.1, clock=clock, cpu=cpu)
    assert pace.is_due

    def work() -> None:
        cpu.seconds += 1.0
        clock.seconds += 3.0

    pace.spend(work)
    assert not pace.is_due
    clock.seconds = 12.9
    assert not pace.is_due
    clock.seconds = 13.0
    assert pace.is_due


def test_announcement_before_its_time_is_not_judged() -> None:
    heard, clock = Heard(), Clock()
    announced = replace(announcing(heard), pace=Pace(clock=clock, _due=1.0))
    play(announced, FakePlay(), SURVEY, TWICE)
    assert heard.finals == []


def test_the_rest_is_announced_before_remedies_are_tried() -> None:
    aimed, plain = finding("aimed", aimed=True), finding("plain", NOTE)
    for fields, findings, expected in (
        ({}, (aimed, plain), []),
        ({"tries_remedies": True}, (aimed, plain), ["aimed", "plain"]),
        ({"tries_remedies": True}, (plain,), []),
        ({"others_follow": True}, (plain,), ["plain"]),
    ):
        heard = Heard()
        announcing(heard, **fields).over(Judgement(findings))
        assert heard.finals == expected


def test_a_finding_without_code_to_try_is_complete_before_remedies_are_tried() -> None:
    aimed, plain = finding("aimed", aimed=True), finding("plain")
    heard = Heard(is_eager=False)
    announced = announcing(heard, tries_remedies=True)
    announced.over(Judgement((aimed, plain)))
    assert heard.completes == ["plain"]
    announced.ended(Judgement((aimed, plain)))
    assert heard.completes == ["plain", "aimed"]


def test_a_complete_finding_is_handed_on_while_scenarios_are_played() -> None:
    heard, run = Heard(), FakePlay()
    announced = replace(announcing(heard), pace=free())
    play(announced, run, SURVEY, TWICE)
    assert len(heard.completes) == 1
    announced.ended(judge(SUBJECT.text, Known(), run.traces, rules()))
    assert len(heard.completes) == 1


def test_a_finding_that_changed_all_the_same_is_handed_on_again() -> None:
    heard = Heard()
    announced = announcing(heard)
    announced.ended(Judgement((finding("a"),)))
    announced.ended(Judgement((finding("a").but(confidence="low"),)))
    assert heard.completes == ["a", "a"]


def test_several_listeners_are_as_eager_as_one_of_them() -> None:
    first, second = Heard(is_eager=False), Heard()
    both = Listeners(first, second)
    assert both.is_eager
    assert not Listeners(first).is_eager
    both.begin(Run(seed=3))
    both.final([finding("a")])
    both.complete([finding("b")])
    for heard in (first, second):
        assert (heard.runs, heard.finals, heard.completes) == ([Run(seed=3)], ["a"], ["b"])
