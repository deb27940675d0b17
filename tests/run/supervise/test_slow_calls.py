"""A call that works is slow, up to a ceiling; one that waits or polls hangs at its deadline."""

from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from envdoctor.model.scenario import Scenario
from envdoctor.model.trace import FINISHED, TIMED_OUT, Outcome, Trace
from envdoctor.run.supervise import idle_detection, monitor, stacks
from envdoctor.run.supervise.idle_detection import CallClock, Idleness
from envdoctor.run.supervise.limits import Limits
from envdoctor.run.supervise.monitor import MOST_OF_FIRST, ProcessWatch, WaitingLimits
from envdoctor.run.supervise.patience import SLOWER, Patience

TIMEOUT = 30.0
LIFE = Scenario("life", "make reset step:20 close drop")
MANAGED = Scenario("life", "make reset step:20 close drop", "gymnasium-async", "fork")
CONTROL = Scenario("life", "make reset step:20 close drop", control=True)
MIB = 1 << 20


@pytest.mark.parametrize(
    ("computes", "moves", "works"),
    [
        (1.0, 0, True),
        (0.3, 0, True),  # it waits for a disk most of the time
        (0.02, 0, False),  # it looks every 10 ms whether something is there
        (0.02, MIB, True),  # it downloads
        (0.0, 100, False),  # it says "retrying" every second
        (0.0, 0, False),
    ],
)
def test_call_works_that_computes_or_moves_data(
    computes: float, moves: int, works: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    machine = SimpleNamespace(
        scheduled=lambda pids: {"7": (int(now * computes * 1e9), 0)},
        transferred=lambda pids: int(now * moves),
    )
    monkeypatch.setattr(idle_detection, "machine", machine)
    clock = CallClock(cores=2)
    while clock.seconds(now, 0.0, [7]) <= TIMEOUT:
        now += 0.25
    assert clock.works(TIMEOUT, [7]) is works
    assert clock.computes() is (computes > 0.5)


def outcome_after(
    seconds: float, waiting: WaitingLimits, home: Path, monkeypatch: pytest.MonkeyPatch, **how: Any
) -> Outcome | None:
    """Of a reset() that has had so many seconds, without a pause and at work unless `how` says
    otherwise.
    """
    monkeypatch.setattr(stacks, "collect", lambda *_: "")
    monkeypatch.setattr(CallClock, "seconds", lambda *_: seconds)
    monkeypatch.setattr(CallClock, "works", lambda *_: how.get("works", True))
    monkeypatch.setattr(CallClock, "had_less", lambda *_: False)
    monkeypatch.setattr(Idleness, "seconds", lambda *_: how.get("still", 0.0))
    since = time.monotonic() - seconds
    journal: Any = SimpleNamespace(
        verb="reset", at=0, ended=False, failed="", is_there=True, since=since, heard=since,
        events=[], add=list, read=lambda: False,
    )  # fmt: skip
    probe: Any = SimpleNamespace(
        home=home, alive=True, pid=0, pids=[], others=list, wait=lambda seconds: None
    )
    watch = ProcessWatch(probe, journal, Limits(timeout=TIMEOUT), lambda: False, waiting)
    return watch._look()


FIRST = WaitingLimits(unknown={"reset"})
KNOWN = WaitingLimits()


@pytest.mark.parametrize(
    ("seconds", "waiting", "how", "hangs"),
    [
        (36.0, FIRST, {}, False),
        (36.0, FIRST, {"works": False}, True),
        (36.0, FIRST, {"still": 2.0}, True),  # it computed, and then waits for ever
        (36.0, KNOWN, {}, True),  # an endless loop that is not the first call
        (MOST_OF_FIRST * TIMEOUT + 1, FIRST, {}, True),  # `while True: pass`
        (36.0, WaitingLimits(least={"reset": 80.0}), {"works": False}, False),
        (81.0, WaitingLimits(least={"reset": 80.0}), {"works": False}, True),
        (36.0, WaitingLimits(least={"": 80.0}), {"works": False}, False),
    ],
)
def test_first_call_that_works_is_slow(
    seconds: float,
    waiting: WaitingLimits,
    how: dict[str, Any],
    hangs: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(monitor, "LOOK_EVERY", 0.0)
    outcome = outcome_after(seconds, waiting, tmp_path, monkeypatch, **how)
    assert (outcome.kind if outcome else "") == (TIMED_OUT if hangs else "")


def life(**seconds: float) -> Trace:
    events = [
        {"event": "verb", "t": 0.0, "pid": 1, "verb": verb, "state": "ended", "seconds": took}
        for verb, took in seconds.items()
    ]
    return Trace(LIFE, Outcome(FINISHED), tuple(events))


def test_deadline_is_a_multiple_of_the_longest_call_that_returned() -> None:
    patience = Patience()
    assert patience.unknown(LIFE) == {"survey", "call", "make", "reset", "step"}
    assert patience.unknown(MANAGED) == patience.unknown(CONTROL) == set()
    patience.learn(life(survey=5.0, make=1.0, reset=36.0))
    assert patience.unknown(LIFE) == {"survey", "call", "step"}
    least = patience.least(LIFE)
    assert least["reset"] == SLOWER * 36.0
    assert least["make"] == SLOWER * 1.0
    assert least[""] == patience.least(MANAGED)[""] == SLOWER * 42.0
    assert "reset" not in patience.least(MANAGED), "a launch, or another worker, may be in it"
    assert patience.least(CONTROL) == {}


@pytest.mark.parametrize(
    ("function", "call"), [("reset", "reset"), ("transition", "step"), ("close", "close")]
)
def test_call_is_known_that_hung_within_a_verb_of_many_calls(function: str, call: str) -> None:
    """A warm-up hangs in reset(): the next reset() is not waited for as long again."""
    patience, reuse = Patience(), Scenario("reuse", "make reset step:3 reset close drop")
    frame = '  File "/tmp/e/bundle.pyz/envdoctor/probe/environment_api.py", line 170 in {}\n'
    head = "Current thread 0x01 (most recent call first):\n"
    warm = Scenario("leak-open", "open warm:3x1x20 shut")
    stacks = head + '  File "/home/me/battle.py", line 32 in _end\n' + frame.format(function)
    patience.learn(Trace(warm, Outcome(TIMED_OUT, verb="warm:3x1x20", stacks=stacks)))
    assert call in patience.expectations(reuse)


def test_call_is_known_that_hung_within_a_checker() -> None:
    """A reset() that computes for a seed of the checker hung 44 s long in each of three managers."""
    stacks = (
        "Current thread 0x01 (most recent call first):\n"
        '  File "/home/me/kitchen.py", line 16 in _plan\n'
        '  File "/home/me/kitchen.py", line 26 in reset\n'
        '  File "/tmp/e/bundle.pyz/envdoctor/probe/heartbeat.py", line 62 in followed_call\n'
        '  File "/tmp/e/bundle.pyz/envdoctor/probe/heartbeat.py", line 75 in followed_call\n'
        '  File "/venv/site-packages/gymnasium/utils/env_checker.py", line 107 in check_reset_seed\n'
    )
    patience = Patience()
    patience.learn(
        Trace(Scenario("check", "check"), Outcome(TIMED_OUT, verb="check", stacks=stacks))
    )
    assert "reset" in patience.expectations(LIFE)
    assert "reset" in patience.expectations(MANAGED)
