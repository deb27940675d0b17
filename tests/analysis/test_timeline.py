"""Lifetimes of instances and processes, from events."""

from __future__ import annotations

from typing import Any

from envdoctor.analysis.timeline import (
    CHILD,
    ENDED,
    OUTLIVED,
    PROBE,
    THERE,
    UNSEEN,
    WORKER,
    TimelineProcess,
    timeline,
)
from envdoctor.model.scenario import Scenario
from envdoctor.model.trace import FINISHED, TIMED_OUT, Outcome, Trace

PARENT = 10


def event(at: float, kind: str, pid: int = PARENT, **fields: Any) -> dict[str, Any]:
    return {"event": kind, "t": 100.0 + at, "pid": pid, **fields}


def verb(at: float, name: str, state: str, **fields: Any) -> dict[str, Any]:
    return event(at, "verb", verb=name, state=state, **fields)


def instance(
    at: float, what: str, pid: int = PARENT, serial: int = 1, **fields: Any
) -> dict[str, Any]:
    return event(at, "instance", pid, what=what, serial=serial, **fields)


def reading(at: float, point: str, **processes: str) -> dict[str, Any]:
    return event(at, "reading", point=point, life=0, sensors={"processes": processes})


def played(
    *events: dict[str, Any],
    outcome: str = FINISHED,
    aftermath: dict[str, Any] | None = None,
    **fields: Any,
) -> Trace:
    return Trace(
        Scenario("life", "make reset close drop", "gymnasium-async", "spawn"),
        Outcome(outcome, **fields),
        events,
        aftermath or {},
    )


def processes(trace: Trace) -> dict[int, TimelineProcess]:
    line = timeline(trace)
    assert line is not None
    return {process.pid: process for process in line.processes}


BEGIN = event(0.0, "scenario", state="began")
LAUNCH = (
    verb(1.0, "make", "began"),
    event(3.0, "workers", pids=[11, 12]),
    verb(3.0, "make", "ended"),
)
MADE = (instance(2.0, "making", 11), instance(2.5, "made", 11, type="arm.Arm", watched=True))


def test_nothing_that_was_journalled_has_no_timeline() -> None:
    assert timeline(played()) is None
    assert timeline(played(BEGIN)) is None


def test_verbs_are_spans_and_one_that_did_not_end_has_none() -> None:
    line = timeline(
        played(BEGIN, *LAUNCH, verb(4.0, "close", "began"), outcome=TIMED_OUT, seconds=14.0)
    )
    assert line is not None
    assert [(one.name, one.began, one.ended) for one in line.verbs] == [
        ("make", 1.0, 3.0),
        ("close", 4.0, None),
    ]
    assert line.seconds == 14.0


def test_a_verb_that_raised_says_so() -> None:
    error = {"type": "builtins.ValueError", "message": "no"}
    line = timeline(
        played(BEGIN, verb(1.0, "reset", "began"), verb(2.0, "reset", "raised", error=error))
    )
    assert line is not None
    assert line.verbs[0].error == "ValueError: no"


def test_a_worker_starts_with_its_launch_and_ends_with_its_exit() -> None:
    ended = (
        event(6.0, "worker-exit", pid_of_worker=11, code=0),
        event(6.5, "worker-exit", pid_of_worker=12, code=-9),
    )
    found = processes(played(BEGIN, *LAUNCH, *MADE, *ended))
    assert list(found) == [PARENT, 11, 12]
    assert (found[PARENT].role, found[PARENT].end) == (PROBE, THERE)
    assert (
        found[11].role,
        found[11].launched,
        found[11].began,
        found[11].ended,
        found[11].end,
    ) == (WORKER, 1.0, 2.0, 6.0, "exit 0")
    assert (found[12].began, found[12].end) == (3.0, "signal 9")


def test_an_instance_that_nobody_closed_goes_with_its_process() -> None:
    (span,) = processes(
        played(BEGIN, *LAUNCH, *MADE, event(6.0, "worker-exit", pid_of_worker=11, code=0))
    )[11].instances
    assert (span.type, span.began, span.ended, span.kept) == ("arm.Arm", 2.0, 6.0, False)


def test_an_instance_that_is_there_at_the_end_is_kept_where_that_can_be_known() -> None:
    def kept(watched: bool, outcome: str = FINISHED) -> bool:
        trace = played(
            BEGIN,
            verb(1.0, "make", "began"),
            instance(1.0, "making"),
            instance(1.5, "made", watched=watched),
            outcome=outcome,
        )
        return processes(trace)[PARENT].instances[0].kept

    assert kept(watched=True)
    assert not kept(watched=False)
    assert not kept(watched=True, outcome=TIMED_OUT)


def test_nobody_knows_of_an_instance_whose_worker_was_not_seen_to_end() -> None:
    (span,) = processes(played(BEGIN, *LAUNCH, *MADE))[11].instances
    assert (span.ended, span.kept) == (None, False)


def test_resets_and_closings_of_an_instance() -> None:
    error = {"type": "RuntimeError", "message": "late"}
    closings = (
        instance(1.3, "closing"),
        instance(1.4, "close-raised", error=error),
        instance(1.5, "closing"),
    )
    own = instance(1.2, "reset"), *closings, instance(2.0, "finalized")
    (span,) = processes(played(BEGIN, verb(1.0, "make", "began"), instance(1.1, "made"), *own))[
        PARENT
    ].instances
    assert [round(at, 3) for at in span.resets] == [1.2]
    assert [(closing.ended is None, closing.error) for closing in span.closings] == [
        (False, "RuntimeError: late"),
        (True, ""),
    ]
    assert span.ended == 2.0


def test_child_lasts_until_a_reading_without_it() -> None:
    in_reset = reading(
        4.0, "reset", **{"7": "shell", "11": "python", "21": "renderer", "22": "sleep 60"}
    )
    after = reading(5.0, "dropped", **{"7": "shell", "22": "sleep 60"})
    found = processes(
        played(BEGIN, reading(0.5, "before", **{"7": "shell"}), *LAUNCH, in_reset, after)
    )
    assert [pid for pid, process in found.items() if process.role == CHILD] == [21, 22]
    assert (found[21].text, found[21].began, found[21].ended, found[21].end) == (
        "renderer",
        4.0,
        5.0,
        UNSEEN,
    )
    assert (found[22].ended, found[22].end) == (None, THERE)


def test_process_after_the_end_outlived_everything() -> None:
    seen = BEGIN, reading(0.5, "before"), *LAUNCH, reading(4.0, "reset", **{"22": "sleep 60"})
    found = processes(played(*seen, aftermath={"processes": {"22": "sleep 60", "12": "python"}}))
    assert (found[22].end, found[12].end, found[11].end) == (OUTLIVED, OUTLIVED, UNSEEN)


def test_process_that_the_doctor_ended_is_marked() -> None:
    found = processes(played(BEGIN, *LAUNCH, *MADE, outcome=TIMED_OUT, seconds=9.0))
    assert (found[PARENT].end, found[11].end) == (TIMED_OUT, ENDED)
