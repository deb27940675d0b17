"""Seconds of the probe: those that other programs kept from it are not counted."""

from __future__ import annotations

import threading
from types import SimpleNamespace

import pytest

from envdoctor.probe.system import deadline, workers
from envdoctor.probe.system.deadline import CORES, Deadline, Stopwatch


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A machine whose clock and whose threads the test moves."""
    seen = SimpleNamespace(now=0.0, threads={})
    monkeypatch.setattr(deadline, "monotonic", lambda: seen.now)
    monkeypatch.setattr(deadline, "_scheduled", lambda _: dict(seen.threads))
    return seen


def nanoseconds(ran: float, waited: float) -> tuple[int, int]:
    return int(ran * 1e9), int(waited * 1e9)


def test_seconds_in_which_others_had_the_cores_are_not_counted(machine: SimpleNamespace) -> None:
    watch = Stopwatch()
    machine.now, machine.threads = 10.0, {"7": nanoseconds(2.0, 7.5)}
    assert watch.seconds() == pytest.approx(2.5)


def test_only_what_came_since_it_began_is_subtracted(machine: SimpleNamespace) -> None:
    machine.threads = {"7": nanoseconds(100.0, 50.0)}
    watch = Stopwatch()
    machine.now, machine.threads = 10.0, {"7": nanoseconds(101.0, 51.0)}
    assert watch.seconds() == pytest.approx(9.0)


def test_waiting_for_own_threads_counts_as_own_time(machine: SimpleNamespace) -> None:
    """Its own threads take every core, and wait for each other."""
    watch = Stopwatch()
    threads = 2 * CORES
    machine.now = 10.0
    machine.threads = {str(one): nanoseconds(5.0, 5.0) for one in range(threads)}
    assert watch.seconds() == pytest.approx(10.0)


def test_a_deadline_is_later_by_what_others_had(machine: SimpleNamespace) -> None:
    limit = Deadline(2.0)
    machine.now, machine.threads = 2.5, {"7": nanoseconds(0.5, 2.0)}
    assert not limit.passed
    machine.now, machine.threads = 4.5, {"7": nanoseconds(1.0, 2.0)}
    assert limit.passed


def test_a_pause_that_would_pass_it_is_not_begun(machine: SimpleNamespace) -> None:
    limit = Deadline(2.0)
    machine.now = 1.5
    assert not limit.ends_within(0.25)
    assert limit.ends_within(1.0)


def test_a_thread_that_waits_for_an_event_has_its_seconds() -> None:
    """Nothing is ready to run, so each second counts, on any machine."""
    never = threading.Event()
    limit = Deadline(0.05)
    while not limit.passed:
        never.wait(0.01)
    assert limit.seconds >= 0.04


@pytest.mark.parametrize(("looks", "code"), [(3, 0), (10_000, None)])
def test_a_worker_that_is_about_to_end_is_waited_for(
    looks: int, code: int | None, machine: SimpleNamespace
) -> None:
    """One that the machine keeps from its end for longer than the grace, and one that stays."""

    class Worker:
        exitcode = None
        joined = 0

        def join(self, seconds: float) -> None:
            self.joined += 1
            machine.now += 1.0
            if self.joined <= looks < 100:
                machine.threads = {"7": nanoseconds(0.0, machine.now)}
            if self.joined >= looks:
                self.exitcode = 0

    worker = Worker()
    workers._join(worker)
    assert worker.exitcode == code
