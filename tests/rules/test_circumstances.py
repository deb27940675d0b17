"""Circumstances that the calls which hang have in common."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from envdoctor.model.trace import FINISHED, TIMED_OUT, Trace
from envdoctor.model.waits import TIME, Wait
from envdoctor.rules.engine.examples import direct_view, instance, trace, vector_view, verb
from envdoctor.rules.engine.registry import all_rules
from envdoctor.rules.evidence.circumstances import (
    AGAIN,
    BESIDE,
    EARLY,
    InstanceCall,
    Seeded,
    calls,
    circumstance,
    makes_after_close,
    nth_reset,
    seeds_that_hang,
)

LIFE = "make reset step:20 close drop"
TWO = "make make reset@0 reset@1 step:3@0 step:3@1 reset@0 step:3@1 close@0 close@1 drop"
REUSE = "make reset step:3 reset step:3 close drop"


def played(name: str, script: str, hangs_at: int | None = None, **more: Any) -> Trace:
    """A scenario whose verbs came back, up to the one that hangs."""
    words = script.split()
    done = words if hangs_at is None else words[:hangs_at]
    events = [
        event
        for at, word in enumerate(done)
        for event in (verb(word, "began", at=at), verb(word, at=at, **more.get(word, {})))
    ]
    if hangs_at is None:
        return trace(*events, name=name, script=script, outcome=FINISHED)
    word = words[hangs_at]
    return trace(
        *events,
        verb(word, "began", at=hangs_at),
        name=name,
        script=script,
        outcome=TIMED_OUT,
        verb=word,
        at=hangs_at,
    )


def episode(steps: int) -> Trace:
    ends = {"steps": steps, "episodes": [{"step": steps, "how": "terminated"}]}
    return played("episode", "make reset episode:2000 close drop", **{"episode:2000": ends})


@pytest.mark.parametrize(
    ("traces", "call", "told"),
    [
        # Episodes have 12 steps: the second reset of the life comes at the end of one.
        ([played("life", LIFE), episode(12), played("reuse", REUSE, 3)], "reset", EARLY),
        # No episode has ended: it may be the second reset.
        ([played("life", LIFE), played("reuse", REUSE, 3)], "reset", AGAIN),
        ([played("life", LIFE), episode(12), played("two-at-once", TWO, 3)], "reset", BESIDE),
        ([played("life", LIFE), played("two-at-once", TWO, 5)], "step", BESIDE),
        ([played("life", LIFE), played("two-at-once", TWO, 1)], "make", BESIDE),
        # It hangs alone as well.
        ([played("life", LIFE), played("two-at-once", TWO, 6), played("reuse", REUSE, 3)],
         "reset", AGAIN),
        # Two instances were reset at once, and the second reset of one hangs.
        ([played("life", LIFE), episode(12), played("two-at-once", TWO, 6)], "reset", EARLY),
        ([played("life", LIFE, 1)], "reset", ""),
        ([played("life", LIFE)], "reset", ""),
        ([played("life", LIFE), played("reuse", LIFE, 1)], "reset", ""),
    ],
)  # fmt: skip
def test_hang_has_the_circumstance_that_no_call_had_that_came_back(
    traces: list[Trace], call: str, told: str
) -> None:
    assert circumstance(direct_view(*traces), call) == told


def test_verbs_that_make_several_calls_tell_no_circumstance() -> None:
    warm = played("leak-open", "open warm:3x1x20 shut", 1)
    assert circumstance(direct_view(played("life", LIFE), warm), "reset") == ""


def resets(name: str, number: int, *, hangs: bool, **more: Any) -> Trace:
    """An instance that is reset so often, the last time with or without an end."""
    words = ["make", *number * ["reset"]]
    events = [verb("make", at=0)]
    for at in range(1, number + 1):
        events.append({**verb("reset", "began", at=at), "resets": at - 1})
        if at < number or not hangs:
            events.append(verb("reset", at=at))
    outcome = {"outcome": TIMED_OUT, "verb": "reset", "at": number} if hangs else {}
    return trace(*events, name=name, script=" ".join(words), **outcome, **more)


def kept_open() -> Trace:
    """An instance that stays open and hangs in one of seven resets after the third."""
    return trace(
        verb("warm:3x1x20", cycles=3),
        verb("block:7x1x20", "began", at=1),
        name="leak-open",
        script="open warm:3x1x20 block:7x1x20",
        outcome=TIMED_OUT,
        verb="block:7x1x20",
        at=1,
    )


@pytest.mark.parametrize(
    ("traces", "number"),
    [
        ([resets("reuse", 6, hangs=False), resets("other-seeds", 7, hangs=True), kept_open()], 7),
        (2 * [resets("other-seeds", 7, hangs=True)], 7),
        # It may hang for another reason.
        ([resets("reuse", 4, hangs=False), resets("other-seeds", 7, hangs=True)], 0),
        # The open one hangs at another one.
        ([resets("other-seeds", 12, hangs=True), kept_open()], 0),
        ([resets("reuse", 4, hangs=False)], 0),
        # Another instance came further, or not as far.
        ([resets("reuse", 8, hangs=False), resets("other-seeds", 7, hangs=True)], 0),
        ([resets("reuse", 5, hangs=True), resets("other-seeds", 7, hangs=True)], 0),
        # The second one is told otherwise.
        ([resets("reuse", 2, hangs=True)], 0),
        # An instance that stays open was reset more often.
        (
            [
                trace(
                    verb("warm:3x1x20", cycles=3),
                    verb("block:7x1x20", at=1, cycles=7),
                    name="leak-open",
                    script="open warm:3x1x20 block:7x1x20",
                ),
                resets("other-seeds", 7, hangs=True),
            ],
            0,
        ),
    ],
    ids=[
        "seventh",
        "twice",
        "once",
        "otherwise",
        "none",
        "further",
        "two numbers",
        "second",
        "open",
    ],
)
def test_hang_of_a_later_reset_has_its_number(traces: list[Trace], number: int) -> None:
    assert nth_reset(direct_view(*traces)) == number


def test_later_reset_that_hangs_is_reported_with_its_number() -> None:
    traces = [resets(name, 3, hangs=True) for name in ("reuse", "other-seeds")]
    (hang,) = all_rules()["HNG003"].judge(direct_view(*traces))
    assert hang.message == "reset() hangs: the 3rd of an instance, whose first 2 come back"
    assert hang.evidence["circumstance"] == "the 3rd of an instance, whose first 2 come back"


PLANS = """Process {pid} (python -m probe):
Current thread 0x01 (most recent call first):
  File "/home/me/kitchen.py", line {line} in _plan
  File "/home/me/kitchen.py", line 30 in reset
"""


def seeded(*resets: tuple[int | None, int], hangs: bool = False, **more: Any) -> Trace:
    """A checker that resets an instance, by the last seed and how many resets ago that was."""
    events: list[Any] = [verb("check", "began")]
    for number, (seed, since) in enumerate(resets, start=1):
        events.append(instance("resetting", seed=seed, resets=since, pid=more.get("pid", 1)))
        if not hangs or number < len(resets):
            events.append(instance("was-reset", pid=more.get("pid", 1)))
    if not hangs:
        return trace(*events, verb("check"), name="check", script="check")
    line, pid = more.get("line", 16), more.get("pid", 1)
    return trace(
        *events,
        name="check",
        script="check",
        outcome=TIMED_OUT,
        verb="check",
        stacks=PLANS.format(pid=pid, line=line),
        computed=more.get("computed", True),
        waits=more.get("waits", ()),
    )


@pytest.mark.parametrize(
    ("hung", "back", "seeds"),
    [
        ([seeded((1, 0), hangs=True)], [seeded((0, 0), (0, 1))], (Seeded(1),)),
        ([seeded((3, 0), (3, 1), hangs=True)], [seeded((0, 0))], (Seeded(3, 1),)),
        ([seeded((1, 0), hangs=True)], [seeded((1, 0))], ()),
        ([seeded((1, 0), hangs=True)], [], ()),
        ([seeded((None, 1), hangs=True)], [seeded((0, 0))], ()),
        ([seeded((number, 0), hangs=True) for number in range(4)], [seeded((9, 0))], ()),
    ],
    ids=["seed", "after it", "came back elsewhere", "none came back", "no seed", "many"],
)
def test_resets_that_hang_are_known_by_their_seeds(
    hung: list[Trace], back: list[Trace], seeds: tuple[Seeded, ...]
) -> None:
    assert seeds_that_hang(hung, (*hung, *back)) == seeds


def test_hang_in_one_of_many_beginnings_does_not_hide_the_seed_of_another() -> None:
    seed, back = seeded((123, 1), hangs=True), seeded((0, 0), (0, 1))
    many = trace(verb("make"), name="beginnings", outcome=TIMED_OUT, verb="beginnings:50x20")
    assert seeds_that_hang([seed, many], [seed, many, back]) == (Seeded(123, 1),)
    assert seeds_that_hang([many], [many, back]) == ()


def test_reset_that_computes_for_a_seed_is_reported_with_it() -> None:
    traces = [seeded((0, 0), (0, 1)), seeded((3, 0), (3, 1), hangs=True)]
    (hang,) = all_rules()["HNG003"].judge(direct_view(*traces))
    seed = "the one after reset(seed=3); others come back"
    assert hang.message == f"reset() hangs in kitchen.py:16, _plan (it computes): {seed}"
    assert hang.evidence["circumstance"] == seed
    assert "count its rounds" in str(hang.remedy)
    assert "reset(seed=3) and reset() of a new instance" in str(hang.remedy)


@pytest.mark.parametrize(
    "how",
    [{"computed": False}, {"waits": (Wait(1, "python", "clock_nanosleep", TIME),)}],
    ids=["it ran little", "it sleeps"],
)
def test_reset_that_waits_is_not_said_to_compute(how: dict[str, Any]) -> None:
    traces = [seeded((0, 0)), seeded((3, 0), hangs=True, **how)]
    (hang,) = all_rules()["HNG003"].judge(direct_view(*traces))
    assert hang.message == "reset() hangs in kitchen.py:16, _plan"


def test_loop_that_is_met_in_another_line_under_a_manager_has_one_place() -> None:
    traces = (seeded((0, 0)), seeded((3, 0), hangs=True))
    managed = seeded((1, 0), hangs=True, line=20, pid=31)
    view = replace(vector_view(managed), other_places=traces)
    (alone,) = all_rules()["HNG003"].judge(direct_view(*traces))
    (hang,) = all_rules()["HNG003"].judge(view)
    assert hang.location == alone.location
    assert "the one with seed 1; others come back" in hang.message


def test_circumstance_is_evidence_only_where_the_message_has_it() -> None:
    exit_of_child = {"event": "worker-exit", "t": 0.0, "pid": 30, "pid_of_worker": 31}
    crashed = {**exit_of_child, "code": -6, "name": "gzserver"}
    hung = played("reuse", REUSE, 3)
    (hang,) = all_rules()["HNG003"].judge(direct_view(played("life", LIFE), hung))
    assert (hang.message, hang.evidence["circumstance"]) == (f"reset() hangs, only {AGAIN}", AGAIN)
    hung = replace(hung, events=(*hung.events, crashed))
    (hang,) = all_rules()["HNG003"].judge(direct_view(played("life", LIFE), hung))
    assert hang.message.endswith("gzserver, had died of SIGABRT")
    assert "circumstance" not in hang.evidence


def test_hanging_call_did_not_come_back() -> None:
    assert list(calls(played("life", LIFE, 1), 0)) == [
        InstanceCall("make", True),
        InstanceCall("reset", False),
    ]


@pytest.mark.parametrize(
    ("events", "is_after"),
    [
        (("making", "made", "closed", "making"), True),
        (("making", "made", "closed", "making", "made"), False),
        (("making", "made", "making", "closed"), False),
        (("making", "made", "making"), False),
        (("making", "closed", "making"), True),
    ],
)
def test_instance_is_made_after_another_one_was_closed(
    events: tuple[str, ...], is_after: bool
) -> None:
    lived = trace(*(instance(what, serial) for serial, what in enumerate(events)))
    assert makes_after_close(lived) is is_after


def test_instance_that_a_worker_closed_does_not_count() -> None:
    lived = trace(instance("closed", pid=2, parent=False), instance("making", 2, pid=2))
    assert not makes_after_close(lived)
