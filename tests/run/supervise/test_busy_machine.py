"""Share that a call had of a busy machine, and shares that are too small to say that the call
hangs.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from envdoctor.model.scenario import Scenario
from envdoctor.model.trace import LOST, OUT_OF_MEMORY, TIMED_OUT, Outcome, Trace
from envdoctor.run.supervise import idle_detection, leftovers, monitor, stacks
from envdoctor.run.supervise.idle_detection import Allowance, CallClock, Idleness
from envdoctor.run.supervise.limits import Limits
from envdoctor.run.supervise.machine import machine
from envdoctor.run.supervise.monitor import MemoryOfCall, ProcessWatch, WaitingLimits
from envdoctor.run.supervise.patience import Patience

ALLOWED = 120.0


@pytest.mark.parametrize(
    ("share", "starved"),
    [(1.0, False), (0.5, False), (0.25, False), (0.2, True), (0.13, True), (0.02, True)],
)
def test_a_call_that_a_busy_machine_kept_from_running_is_not_said_to_hang(
    share: float, starved: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It works without a pause and gets a share of a core, until its time is over."""
    now = 0.0
    machine = SimpleNamespace(
        scheduled=lambda pids: {"7": (int(now * share * 1e9), int(now * (1 - share) * 1e9))},
        transferred=lambda pids: 0,
    )
    monkeypatch.setattr(idle_detection, "machine", machine)
    clock = CallClock(cores=2)
    while clock.seconds(now, 0.0, [7]) <= ALLOWED:
        now += 0.5
    assert clock.had_less(now, ALLOWED) is starved
    assert now <= idle_detection.MOST * ALLOWED + 1


@pytest.mark.parametrize(("share", "most"), [(1.0, 1.5), (0.2, 8.0), (0.01, 60.0)])
def test_a_grace_lasts_until_what_is_awaited_had_it(
    share: float, most: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that ends works without a pause, and gets a share of a core."""
    now = 0.0
    machine = SimpleNamespace(
        scheduled=lambda pids: {"7": (int(now * share * 1e9), int(now * (1 - share) * 1e9))}
    )
    monkeypatch.setattr(idle_detection, "machine", machine)
    monkeypatch.setattr(idle_detection.time, "monotonic", lambda: now)
    grace = Allowance(1.0, [7], cores=2)
    while not (grace.is_over([7]) or grace.is_given_up):
        now += 0.25
    assert grace.is_given_up is (share == 0.01)
    assert now <= most + 0.25


def test_leftovers_of_a_starved_probe_are_unknown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Allowance, "is_given_up", True)
    monkeypatch.setattr(
        leftovers, "machine", SimpleNamespace(is_running=lambda pid: True, describe=str)
    )
    probe = SimpleNamespace(others=lambda: [7])
    assert leftovers.wait_for_others(probe, Limits()) is None


def probe_at(home: Path) -> SimpleNamespace:
    """A probe without processes, which lives."""
    return SimpleNamespace(
        home=home, alive=True, pid=0, pids=[], others=list, wait=lambda seconds: None
    )


def journal_of(verb: str, seconds: float) -> SimpleNamespace:
    """A journal whose last verb began so many seconds ago."""
    since = time.monotonic() - seconds
    events: list[dict[str, Any]] = []
    states = {"ended": False, "failed": "", "is_there": True, "since": since, "heard": since}
    return SimpleNamespace(verb=verb, at=0, events=events, add=events.extend, **states)


@pytest.mark.parametrize("comes_back", [True, False])
def test_a_call_that_came_back_since_the_journal_was_read_does_not_hang(
    comes_back: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A busy machine lets the doctor wait between the journal and its look at the processes."""
    monkeypatch.setattr(stacks, "collect", lambda *_: "")
    journal = journal_of("check", ALLOWED + 1)

    def read() -> bool:
        if comes_back:
            journal.since = time.monotonic()
        return comes_back

    journal.read = read
    given: Any = (probe_at(tmp_path), journal, Limits(timeout=ALLOWED), lambda: False)
    outcome = ProcessWatch(*given)._look()
    assert (outcome and outcome.kind) == (None if comes_back else TIMED_OUT)


def test_doctor_that_stands_still_during_its_look_does_not_say_that_the_call_did(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The call had had its second when the look was over, and less of it when the look began."""
    now = 100.0

    class Probe(SimpleNamespace):
        @property
        def pids(self) -> list[int]:
            nonlocal now
            now += 0.6
            return []

    monkeypatch.setattr(idle_detection.time, "monotonic", lambda: now)
    monkeypatch.setattr(stacks, "collect", lambda *_: "")
    journal = journal_of("reset", 0.0)
    journal.read = lambda: False
    probe = Probe(home=tmp_path, alive=True, pid=0, others=list, wait=lambda seconds: None)
    given: Any = (probe, journal, Limits(timeout=1.0), lambda: False)
    watch, outcome = ProcessWatch(*given), None
    while outcome is None:
        now += 0.9
        outcome = watch._look()
    assert (outcome.kind, outcome.starved) == (TIMED_OUT, False)


def test_a_call_that_hangs_after_one_that_was_kept_from_running_is_said_to_hang(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stacks, "collect", lambda *_: "")
    monkeypatch.setattr(monitor, "LOOK_EVERY", 0.0)
    monkeypatch.setattr(CallClock, "had_less", lambda *_: True)
    journal, next_call = journal_of("reset", ALLOWED + 1), time.monotonic() - 1.0

    def read() -> bool:
        came_back, journal.since = journal.since != next_call, next_call
        return came_back

    journal.read = read
    given: Any = (probe_at(tmp_path), journal, Limits(timeout=ALLOWED), lambda: False)
    watch = ProcessWatch(*given, WaitingLimits(idle_limit=0.0))
    assert watch._look() is None, "the first call came back"
    outcome = watch._look()
    assert outcome is not None
    assert outcome.kind == TIMED_OUT


def process(code: str) -> subprocess.Popen[str]:
    """A Python that has printed a line."""
    child = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", code], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    child.stdout.readline()
    return child


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel tells it on Linux only")
def test_ended_process_does_not_wait() -> None:
    """Its guard may be too busy to say so: reset() slept for 2 s and called abort()."""
    with process("print('up')") as child:
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # a zombie from here on
        assert machine.wakes_at([child.pid], child.pid, 0.0) is None
    assert machine.wakes_at([], child.pid, 0.0) is None


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel tells it on Linux only")
def test_a_child_that_ends_while_it_is_looked_at_is_seen() -> None:
    """Its parent waits for it, and has not run yet: the wait seemed to last for ever."""
    with process("import signal; print('up', flush=True); signal.pause()") as child:
        idleness = Idleness()
        while idleness.seconds([child.pid]) < 2 * idle_detection.LOOK_EVERY:
            os.sched_yield()
        assert idleness.lasts([child.pid])
        child.kill()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        assert not idleness.lasts([child.pid])


@pytest.mark.parametrize(
    ("had_less", "kind", "told"),
    [(True, LOST, "the machine was too busy"), (False, None, "")],
)
def test_starved_call_gets_a_longer_deadline_only_once(
    had_less: bool,
    kind: str | None,
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The deadline of a call is stretched on a busy machine, once; one that runs now has it all."""
    monkeypatch.setattr(CallClock, "had_less", lambda *_: had_less)
    monkeypatch.setattr(CallClock, "seconds", lambda *_: ALLOWED / 2)
    journal = journal_of("reset", ALLOWED + 1)
    journal.read = lambda: False
    given: Any = (probe_at(tmp_path), journal, Limits(timeout=ALLOWED), lambda: False)
    outcome = ProcessWatch(*given, WaitingLimits(starved={"reset"}))._look()
    assert (outcome and outcome.kind) == kind
    assert outcome is None or (outcome.starved and outcome.reason.startswith(told))
    assert ProcessWatch(*given)._look() is None, "for the first time it has several times as long"


def test_a_session_learns_what_a_busy_machine_kept_from_running() -> None:
    patience, life = Patience(), Scenario("life", "make reset close")
    patience.learn(Trace(life, Outcome(LOST, verb="reset", reason="the journal is gone")))
    assert patience.starved(life) == set()
    patience.learn(Trace(life, Outcome(LOST, verb="reset", starved=True)))
    assert patience.starved(life) >= {"reset", "check", "reseed"}
    assert "make" in patience.starved(replace(life, manager="m", start_method="fork"))
    assert patience.starved(replace(life, manager="m", control=True)) == set()
    assert patience.expectations(life) == {}, "it is not known to hang"


GIB = 1 << 30


@pytest.mark.parametrize(
    ("weighed", "rises"),
    [
        ([1, 3, 5, 7, 9, 11], True),
        ([0, 1, 1, 2, 2, 3], False),  # far from the ceiling
        ([1, 9, 10, 10, 10, 10], False),  # loaded, and then it hangs
        ([1, 1, 1, 1, 1, 11], False),  # loads, late
        ([1, 3, 5, 7, 9, 11, 11, 11, 11], False),  # loaded for half of its time
        ([11, 11, 11, 11, 11, 11], False),  # held before the call
        ([], False),
    ],
)
def test_memory_that_rises_until_the_deadline(weighed: list[int], rises: bool) -> None:
    memory = MemoryOfCall(16 * GIB)
    memory.add(1.0, 1.0, 15 * GIB)  # in the call before
    for moment, held in enumerate(weighed):
        memory.add(2.0, float(moment), held * GIB)
    assert memory.rises is rises


def test_growth_until_the_deadline_is_out_of_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On an idle machine it meets the ceiling: the same finding on both."""
    journal = journal_of("reset", ALLOWED + 1)
    journal.read = lambda: False
    limits = Limits(timeout=ALLOWED, memory=16 * GIB)
    given: Any = (probe_at(tmp_path), journal, limits, lambda: False)
    watch = ProcessWatch(*given)
    watch._clock._since, watch._clock._looked = journal.since, time.monotonic()
    monkeypatch.setattr(stacks, "collect", lambda *_: "in reset()")
    monkeypatch.setattr(monitor.machine, "proportional", lambda pids: 11 * GIB)
    for moment, held in enumerate(range(12)):
        watch._memory.add(journal.since, float(moment), held * GIB)
    outcome = watch._look()
    assert outcome is not None
    assert outcome.kind == OUT_OF_MEMORY
    assert outcome.stacks == "in reset()"
    assert outcome.reason == (
        "reset took more than 120 s (--timeout) and took more and more memory: it held 11.0 GiB,"
        " and the ceiling is 16.0 GiB (--memory-limit)"
    )
