"""Faults that are put into a worker: what is played, what is made of it, and one whole run of
it.
"""

from __future__ import annotations

import subprocess
import sys
import time
from typing import Any

import pytest

from envdoctor.frameworks import profile_of
from envdoctor.model.facts import Known
from envdoctor.model.faults import HARD_TO_SEND, KINDS, Fault, fault_of
from envdoctor.model.report import HANG, ITSELF, NOTHING, OTHER, FaultReport
from envdoctor.model.scenario import Scenario
from envdoctor.model.trace import FINISHED, TIMED_OUT, Outcome, Trace
from envdoctor.plan import planted_faults
from envdoctor.plan.planted_faults import FAULT_LIFE
from envdoctor.reporters import _faults
from envdoctor.reporters._lines import Grid
from envdoctor.rules.engine.examples import instance, raised, reading, verb
from envdoctor.rules.engine.judging import build_views
from envdoctor.rules.evidence.faults import summarise
from envdoctor.run.supervise.idle_detection import LOOK_EVERY, Idleness
from tests.support.zoo import examine, messages_of

ITS_ERROR = raised("envdoctor.probe.tracing.faults.InjectedError", "on purpose")
ECHO = raised("builtins.EOFError", "")
VERSIONS = {"gymnasium": "1.4.0"}


def life(manager: str, method: str | None) -> Trace:
    return Trace(Scenario("life", "make drop", manager, method), Outcome(FINISHED))


def played(
    *events: Any,
    kind: str = "step",
    worker: int = 1,
    method: str | None = "fork",
    outcome: Outcome | None = None,
) -> Trace:
    scenario = Scenario(
        Fault(kind, worker).name, FAULT_LIFE, "gymnasium-async", method, control=True
    )
    return Trace(scenario, outcome or Outcome(FINISHED), events)


def report(*events: Any, **fields: Any) -> FaultReport:
    (told_of,) = summarise([played(*events, **fields)], VERSIONS)
    return told_of


def test_the_name_of_a_scenario_is_its_fault() -> None:
    for kind in KINDS:
        assert fault_of(Fault(kind, 1).name) == Fault(kind, 1)
    assert fault_of("life") is None
    assert (
        Scenario.from_dict(planted_faults.faults([life("m", "fork")])[0].as_dict()).idle_limit
        == profile_of("m").patience
    )


def test_every_place_gets_every_fault_that_says_something_there() -> None:
    plan = planted_faults.faults(
        [life("gymnasium-async", "fork"), life("gymnasium-sync", None), life("direct", None)]
    )
    faults: dict[Any, list[str]] = {}
    for scenario in plan:
        assert scenario.control
        faults.setdefault(scenario.place, []).append(str(scenario.fault))
    assert faults == {
        ("gymnasium-async", "fork"): [
            "constructor@1",
            "reset@1",
            "step@1",
            "close@1",
            "kill@1",
            "slow@1",
            "kill@0",
        ],
        ("gymnasium-sync", None): ["constructor@1", "reset@1", "step@1", "close@1"],
    }


@pytest.mark.parametrize(("error", "more"), [(ITS_ERROR, HARD_TO_SEND), (ECHO, ())])
def test_exceptions_that_are_hard_to_send_follow_where_one_arrived(
    error: dict[str, Any], more: tuple[str, ...]
) -> None:
    before = [life("gymnasium-async", "fork")]
    first = [
        Trace(scenario, Outcome(FINISHED))
        for scenario in planted_faults.faults(before)
        if str(scenario.fault) != "step@1"
    ]
    second = planted_faults.faults([*before, *first, played(verb("step", "raised", error=error))])
    assert tuple(scenario.fault.kind for scenario in second if scenario.fault) == more


def test_verdicts() -> None:
    assert report(verb("step", "raised", error=ITS_ERROR)).sees == ITSELF
    assert report(verb("step", "raised", error=ECHO)).sees == OTHER
    assert report(verb("close"), kind="close").sees == NOTHING
    hung = report(outcome=Outcome(TIMED_OUT, verb="step:1"))
    assert (hung.sees, hung.call, hung.workers) == (HANG, "step", None)
    stuck = report(verb("step", "raised", error=ECHO), outcome=Outcome(TIMED_OUT, verb="close"))
    assert (stuck.sees, stuck.call, stuck.close, stuck.framework) == (
        OTHER,
        "step",
        HANG,
        "gymnasium 1.4.0",
    )


def test_leftovers_of_a_killed_worker_are_counted() -> None:
    told_of = report(
        reading("before", {"processes": {}, "zombies": {}, "descriptors": {"3": "a"}}),
        *(instance("made", serial=serial, pid=7, parent=False) for serial in (1, 2, 3)),
        instance("closing", serial=1, pid=7, parent=False),
        verb("step", "raised", error=ECHO),
        verb("close", "raised", error=ECHO),
        reading(
            "held",
            {
                "processes": {"7": "python"},
                "zombies": {"8": "python"},
                "descriptors": {"3": "a", "4": "b"},
            },
        ),
        reading("collected", {"processes": {}, "zombies": {}, "descriptors": {"3": "a", "4": "b"}}),
        kind="kill",
    )
    assert (told_of.workers, told_of.zombies, told_of.unclosed, told_of.leaks, told_of.close) == (
        1,
        1,
        1,
        {"descriptors": 1},
        "EOFError",
    )
    assert (
        _faults.stays(told_of)
        == "1 worker, 1 zombie, 1 environment never closed, 1 descriptor kept for good"
    )


def test_faults_are_nobodys_control() -> None:
    (view,) = build_views("Env-v0", Known(), (life("gymnasium-async", "fork"), played()))
    assert view.control is None
    assert [trace.scenario.name for trace in view.faults] == ["fault:step@1"]


def test_start_methods_that_end_alike_share_a_row() -> None:
    same = [
        FaultReport("m", method, "f 1", "close", 1, NOTHING, workers=0, zombies=0)
        for method in ("fork", "spawn")
    ]
    other = [
        FaultReport("m", "fork", "f 1", "kill", 1, HANG, "step"),
        FaultReport("m", "spawn", "f 1", "kill", 1, OTHER, "step", "EOFError: gone", HANG),
    ]
    (grid,) = [item for item in _faults.faults([*same, *other]) if isinstance(item, Grid)]
    assert [tuple(text for text, _ in row) for row in grid.rows] == [
        ("close", "all", "nothing", "-"),
        ("kill", "fork", "hangs in step()", "unknown: it had to be ended"),
        ("kill", "spawn", "EOFError in step(), then close() hangs", "unknown: it had to be ended"),
    ]


def test_one_that_waits_is_still_and_one_that_works_is_not() -> None:
    with (
        subprocess.Popen(
            [sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE
        ) as waits,
        subprocess.Popen([sys.executable, "-c", "while True: pass"]) as works,
    ):
        try:
            both, one, enough = Idleness(), Idleness(), 2 * LOOK_EVERY
            deadline = time.monotonic() + 600
            while one.seconds([waits.pid]) < enough and time.monotonic() < deadline:
                assert both.seconds([waits.pid, works.pid]) < enough
            assert one.seconds([waits.pid]) >= enough
        finally:
            works.kill()


@pytest.mark.everything
def test_a_manager_with_faults_blames_nobody() -> None:
    exit_code, document = examine(
        "CartPole-v1",
        "--faults",
        "--managers",
        "gymnasium-async,gymnasium-sync",
        "--start-methods",
        "fork",
    )
    assert (exit_code, messages_of(document, "error", "warning")) == (0, [])
    (subject,) = document["subjects"]
    seen = {
        (one["manager"], one["fault"], one["worker"]): (one["sees"], one["call"], one["close"])
        for one in subject["faults"]
    }
    assert seen["gymnasium-async", "step", 1] == (ITSELF, "step", "")
    assert seen["gymnasium-async", "close", 1] == (NOTHING, "", "")
    assert seen["gymnasium-async", "unpicklable", 1] == (HANG, "step", "")
    assert seen["gymnasium-async", "kill", 1][2] == HANG
    assert seen["gymnasium-async", "two-arguments", 1][0] == OTHER
    assert seen["gymnasium-sync", "close", 1] == (ITSELF, "close", "")
    notes = [finding for finding in document["findings"] if finding["code"] == "DOC005"]
    assert {note["blame"] for note in notes} == {"manager"}
    assert {note["evidence"]["limit"] for note in notes} >= {
        "waits",
        "error",
        "close-error",
        "close-waits",
    }
    assert all(
        f"gymnasium {subject['frameworks']['gymnasium']}" in note["message"] for note in notes
    )
