"""A hang is reported soon, and once. A slow call is not accused. The seconds are measured in
benchmarks/hangs.py.
"""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from envdoctor.model.scenario import Scenario
from envdoctor.model.subject import Subject
from envdoctor.model.trace import FINISHED, Outcome, Trace
from envdoctor.plan.scenarios import vector_life
from envdoctor.run.play import Play, SessionBudget
from envdoctor.run.supervise.limits import Limits
from envdoctor.run.supervise.session import Session
from tests.support.zoo import examine, messages_of

pytestmark = pytest.mark.waits

DEADLINE = 900.0  # seconds: nobody waits for it in a test, so what is told was told before


def hangs(document: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        finding
        for finding in document["findings"]
        if finding["code"] == "CLS004" or finding["code"].startswith("HNG")
    ]


@pytest.mark.everything
@pytest.mark.parametrize(
    ("name", "code", "line"),
    [("CloseSleeps", "CLS004", "close"), ("StepSleeps", "HNG004", "step")],
)
def test_hang_without_a_wakeup_is_found_under_each_manager(name: str, code: str, line: str) -> None:
    _, document = examine(f"hanging.py:{name}", "--timeout", str(DEADLINE), "--select", "CLS,HNG")
    found = hangs(document)
    assert {finding["code"] for finding in found} == {code}, messages_of(document)
    assert {(finding["manager"], finding["start_method"]) for finding in found} == {
        ("direct", None),
        ("gymnasium-sync", None),
        ("gymnasium-async", "fork"),
        ("gymnasium-async", "spawn"),
    }
    assert {finding["location"]["function"] for finding in found} == {line}
    alone = [one for one in document["scenarios"] if one["manager"] == "direct"]
    hung = [one["name"] for one in alone if one["outcome"] == "timed-out"]
    assert hung == ["life", "check"], "the others were played without it, or left out"
    reasons = {one["reason"] for one in document["skipped"] if one["manager"] == "direct"}
    assert any(reason.startswith(f"{line}() hangs, so the scenario") for reason in reasons)


@pytest.mark.everything
def test_second_timeout_of_a_call_comes_sooner() -> None:
    """It works, so nothing but the deadline tells; every other scenario knows better."""
    _, document = examine("hanging.py:ResetBurns", "--timeout", "3", "--select", "HNG")
    assert {finding["code"] for finding in hangs(document)} == {"HNG003"}, messages_of(document)
    assert {finding["manager"] for finding in hangs(document)} == {
        "direct",
        "gymnasium-sync",
        "gymnasium-async",
    }
    ceilings = [finding["evidence"]["ceiling"] for finding in hangs(document)]
    assert ceilings[0] == "reset took more than 3 s (--timeout)"
    assert {ceiling.partition(",")[2] for ceiling in ceilings[1:]} == {
        " and it did not come back before"
    }


@pytest.mark.everything
def test_memory_limit_is_reached_in_two_scenarios_only() -> None:
    _, document = examine(
        "hanging.py:EatsMemory", "--managers", "direct", "--memory-limit", "4500M"
    )
    ends = [one["outcome"] for one in document["scenarios"] if one["name"] in ("life", "check")]
    assert ends == ["out-of-memory", "out-of-memory"]
    assert "PRC003" in {finding["code"] for finding in document["findings"]}, messages_of(document)
    assert sum(one["outcome"] == "out-of-memory" for one in document["scenarios"]) == 2


@pytest.mark.everything(but=["SlowSleep"])
@pytest.mark.parametrize("name", ["SlowWork", "SlowSleep", "SlowChild", "SlowSocket"])
def test_slow_reset_is_not_a_hang(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each reset takes most of a deadline, and each verb makes several."""
    monkeypatch.setitem(os.environ, "SLOW_SECONDS", "0.7")
    words = ("--managers", "direct", "--timeout", "1.5", "--select", "HNG,CLS004")
    _, document = examine(f"hanging.py:{name}", *words)
    assert hangs(document) == [], messages_of(document)
    ends = {one["name"]: one["outcome"] for one in document["scenarios"]}
    assert ends["check"] == "finished", "its checker resets many times"


@pytest.mark.everything
def test_an_import_that_works_has_the_time_that_it_takes(tmp_path: Any) -> None:
    file = tmp_path / "big.py"
    file.write_text(
        "import sys, time\n"
        "until = time.process_time() + 2.0\n"
        "while time.process_time() < until:\n    pass\n"
        "class Env:\n"
        "    def reset(self, seed=None):\n        return 0, {}\n"
        "    def step(self, action):\n        return 0, 0.0, False, False, {}\n"
    )
    words = ("--managers", "direct", "--timeout", "0.5", "--select", "HNG")
    _, document = examine(f"{file}:Env", *words)
    assert hangs(document) == [], messages_of(document)


def test_a_budget_is_kept_and_what_did_not_fit_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environ, "SLOW_SECONDS", "2.5")  # of which a life has several
    _, document = examine("plain.py:Plain", "--budget", "0.001s")
    assert [one["name"] for one in document["scenarios"]] == ["survey"]
    _, document = examine(
        "hanging.py:SlowSleep", "--budget", "8s", "--timeout", "60", "--managers", "all"
    )
    names = {(one["name"], one["manager"]) for one in document["scenarios"]}
    assert ("life", "direct") in names
    assert ("life", "gymnasium-async") not in names
    left_out = [
        one for one in document["skipped"] if one["reason"].startswith("the budget of 8.0 s ended")
    ]
    assert {(one["manager"], one["start_method"]) for one in left_out} >= {
        ("direct", None),
        ("gymnasium-sync", None),
        ("gymnasium-async", "fork"),
    }
    assert any(one["reason"].endswith("so the scenario reopen was not played") for one in left_out)


def test_a_budget_that_is_over_leaves_no_finding_without_its_control() -> None:
    """A manager's own leftovers would be errors of the environment otherwise."""
    asked: list[Scenario] = []

    def played(_subject: Subject, scenario: Scenario, *_more: object) -> Trace:
        asked.append(scenario)
        return Trace(scenario, Outcome(FINISHED), ())

    session = SimpleNamespace(play=played, renew=lambda: None, limits=Limits(timeout=1.0))
    subject = Subject("Sick-v0", "id", "Sick-v0")
    play = Play(cast(Session, session), subject, 0, Path("spaces.pkl"), lambda _: None)
    play.budget = SessionBudget(1.0, -1000.0)
    life, control = (vector_life("gymnasium-sync", None, control=own) for own in (False, True))
    assert play(life) is None
    assert play(control) is not None
    assert asked == [control]
    assert [one.manager for one in play.skipped] == ["gymnasium-sync"]
