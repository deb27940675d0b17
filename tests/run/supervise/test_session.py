"""Every way in which a probe can misbehave, played for real."""

from __future__ import annotations

import glob
import os
import re
import signal
import sys
import threading
from dataclasses import replace

import pytest
from conftest import QUICK, has_begun, misbehave, processes_of

from envdoctor.model.scenario import Scenario
from envdoctor.model.subject import FILE, Subject
from envdoctor.model.trace import (
    EXITED,
    FINISHED,
    INTERRUPTED,
    LOST,
    OUT_OF_MEMORY,
    SIGNALLED,
    TIMED_OUT,
)
from envdoctor.run.supervise.guard import HELD
from envdoctor.run.supervise.monitor import ProcessWatch
from tests.support.waiting import until

pytestmark = pytest.mark.waits

SHORT = replace(QUICK, timeout=0.4)


def test_clean_probe_is_kept(begin):
    session = begin()
    traces = [misbehave(session, "pid") for _ in range(3)]
    assert [trace.outcome.kind for trace in traces] == [FINISHED] * 3
    assert len({trace.fact("pid") for trace in traces}) == 1
    assert traces[0].aftermath == {}


def test_segfault_gives_its_signal_and_its_stack(begin):
    outcome = misbehave(begin(), "segfault").outcome
    assert (outcome.kind, outcome.signal, outcome.verb, outcome.at) == (
        SIGNALLED,
        "SIGSEGV",
        "make",
        0,
    )
    assert "in segfault" in outcome.stacks


def test_exit_gives_its_code_and_the_last_words(begin):
    session = begin()
    outcome = misbehave(session, "exit_three").outcome
    assert (outcome.kind, outcome.exit_code, outcome.verb) == (EXITED, 3, "make")
    assert outcome.stderr == "last words"
    assert misbehave(session).outcome.kind == FINISHED


def test_sigkill_is_a_signal(begin):
    outcome = misbehave(begin(), "kill_itself").outcome
    assert (outcome.kind, outcome.signal) == (SIGNALLED, "SIGKILL")


def test_sigkill_after_a_kill_for_memory_is_out_of_memory(begin, monkeypatch):
    kills = iter(range(10))
    monkeypatch.setattr("envdoctor.run.supervise._linux.oom_kills", lambda: next(kills))
    assert misbehave(begin(), "kill_itself").outcome.kind == OUT_OF_MEMORY


def test_hang_gives_the_verb_and_the_stack(begin):
    session = begin(SHORT)
    trace = misbehave(session, "hang")
    assert trace.hung_in("make")
    assert "in hang" in trace.outcome.stacks
    assert trace.outcome.seconds >= SHORT.timeout
    assert trace.aftermath == {}
    assert misbehave(session).outcome.kind == FINISHED


def test_second_hang_of_a_call_is_found_sooner(begin, monkeypatch):
    """A loop that wakes now and then cannot be told from slowness; after one of its like hung, it
    is.
    """
    monkeypatch.setattr("envdoctor.run.supervise.patience.QUIET", 0.3)
    session = begin(replace(QUICK, timeout=0.5))
    assert misbehave(session, "hang").outcome.kind == TIMED_OUT
    session.limits = replace(QUICK, timeout=1000.0)
    outcome = misbehave(session, "hang").outcome
    assert (outcome.kind, outcome.reason.split(" in ")[0]) == (
        TIMED_OUT,
        "nothing ran for some seconds",
    )


def test_working_call_gets_its_time_after_an_earlier_hang(begin, monkeypatch):
    monkeypatch.setattr("envdoctor.run.supervise.patience.SHORT", 0.3)
    session = begin(replace(QUICK, timeout=0.5))
    assert misbehave(session, "burn").outcome.reason == "make took more than 0.5 s (--timeout)"
    session.limits = replace(QUICK, timeout=1000.0)
    assert misbehave(session, "burn").outcome.kind == TIMED_OUT
    session._patience.slowest["make"] = 1000.0  # it came back once, after long work
    assert misbehave(session, "burn_a_second").outcome.kind == FINISHED


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel tells it on Linux only")
@pytest.mark.parametrize("name", ["rest", "wait_for_ever", "wait_for_a_child_that_waits"])
def test_call_that_nothing_can_wake_ends_before_its_deadline(begin, name):
    """Long before the deadline: the run would not end within the test's own patience."""
    outcome = misbehave(begin(replace(QUICK, timeout=900.0)), name).outcome
    assert (outcome.kind, outcome.reason) == (
        TIMED_OUT,
        "make waits, and nothing can wake it within 900 s (--timeout)",
    )


@pytest.mark.parametrize(
    "name", ["sleep_three", "wait_for_a_thread", "wait_for_a_child", "wait_for_a_socket", "alarmed"]
)
def test_call_that_wakes_in_time_is_not_a_hang(begin, name):
    """Each is still for longer than it takes to ask the kernel."""
    assert misbehave(begin(replace(QUICK, timeout=900.0)), name).outcome.kind == FINISHED


def test_each_call_of_a_verb_has_the_whole_deadline(begin):
    trace = misbehave(begin(replace(QUICK, timeout=1.0)), "beat_five_times")
    assert trace.outcome.kind == FINISHED
    assert list(trace.of("beat")) == []


def test_call_woken_by_the_stack_signal_is_timed_out(begin):
    trace = misbehave(begin(SHORT), "tell_when_asked_for_stacks")
    assert (trace.outcome.kind, trace.fact("late")) == (TIMED_OUT, None)


def test_hang_with_the_gil_held_gives_its_stack(begin):
    trace = misbehave(begin(SHORT), "hang_in_c")
    assert trace.hung_in("make")
    assert "in hang_in_c" in trace.outcome.stacks


def test_hung_workers_have_stacks_of_their_own(begin):
    outcome = misbehave(begin(SHORT), "fork_hang").outcome
    assert outcome.stacks.count("Process ") == outcome.stacks.count("in fork_hang") == 2


def test_no_stack_is_asked_of_a_process_that_would_die_of_it(begin):
    outcome = misbehave(begin(SHORT), "stubborn").outcome
    assert outcome.kind == TIMED_OUT
    assert outcome.stacks.count("Process ") == 1


@pytest.mark.parametrize("name", ["daemon", "double_fork"])
def test_escaped_process_is_reported_and_ended(begin, name):
    trace = misbehave(begin(), name)
    assert trace.outcome.kind == FINISHED
    (pid,) = trace.aftermath["processes"]
    assert "time.sleep(60)" in trace.aftermath["processes"][pid]
    assert not os.path.exists(f"/proc/{pid}")


def test_killed_guard_is_a_lost_scenario_and_nothing_more(begin):
    session = begin()
    outcome = misbehave(session, "kill_guard").outcome
    assert outcome.kind == LOST
    assert "guard" in outcome.reason
    assert misbehave(session).outcome.kind == FINISHED


def test_killed_guard_leaves_no_escaped_process(begin):
    session = begin()
    assert misbehave(session, "double_fork_and_kill_guard").outcome.kind == LOST
    assert processes_of(session.directory) == []


def test_a_stopped_guard_is_woken(begin):
    session = begin()
    assert misbehave(session, "stop_guard").outcome.kind == FINISHED
    guarding = session._probe._guard
    session.close()
    # It ended by itself, and was not killed at the end of all patience.
    assert guarding.returncode == 0


def test_a_probe_that_cannot_go_on_is_no_death_of_the_environment(begin):
    session = begin()
    outcome = misbehave(session, "give_up").outcome
    assert (outcome.kind, outcome.verb) == (LOST, "make")
    assert "RuntimeError: open() is replaced" in outcome.reason
    assert misbehave(session).outcome.kind == FINISHED


def test_a_run_directory_that_is_removed_is_made_again(begin):
    session = begin()
    outcome = misbehave(session, "lose_everything").outcome
    assert outcome.kind == LOST
    assert "its journal is gone" in outcome.reason
    assert misbehave(session).outcome.kind == FINISHED


def test_guard_shrugs_at_signals(begin):
    session = begin()
    assert misbehave(session, "pid").outcome.kind == FINISHED  # by then it has its handlers
    assert misbehave(session, "annoy_guard").outcome.kind == FINISHED
    assert misbehave(session, "pid").outcome.kind == FINISHED


def test_megabytes_of_output(begin, monkeypatch):
    monkeypatch.setattr("envdoctor.run.supervise.monitor.WEIGH_EVERY", 0.01)
    monkeypatch.setattr("envdoctor.run.supervise.monitor.MAX_OUTPUT", 1 << 20)
    outcome = misbehave(begin(), "chatty").outcome
    assert (outcome.kind, outcome.exit_code) == (EXITED, 1)
    assert outcome.stderr.endswith("y\nlast words")
    assert len(outcome.stderr) <= 16 * 1024


def test_probe_without_descriptors_is_replaced(begin):
    session = begin()
    assert misbehave(session, "close_all_descriptors").outcome.kind == FINISHED
    trace = misbehave(session, "pid")
    assert trace.outcome.kind == FINISHED
    assert trace.fact("pid")


def test_memory_ceiling(begin):
    outcome = misbehave(begin(replace(QUICK, memory=200 << 20)), "eat_memory").outcome
    assert outcome.kind == OUT_OF_MEMORY
    assert re.fullmatch(
        r"it held \d{3}\.\d MiB, and the ceiling is 200\.0 MiB \(--memory-limit\)", outcome.reason
    ), outcome.reason


def test_the_memory_of_a_child_counts_and_is_named(begin):
    outcome = misbehave(begin(replace(QUICK, memory=200 << 20)), "child_eats_memory").outcome
    assert outcome.kind == OUT_OF_MEMORY
    told = (
        r"with one process .* it held \d{3}\.\d MiB, and the ceiling is 200\.0 MiB \(--memory-limit\);"
        r" most of it, [\d.]+ MiB, in process \d+ \(.*\)"
    )
    assert re.fullmatch(told, outcome.reason), outcome.reason


def test_timed_out_verb_is_in_the_reason(begin):
    assert misbehave(begin(SHORT), "hang").outcome.reason == "make took more than 0.4 s (--timeout)"


def test_files_left_are_reported_once_and_removed(begin):
    session = begin()
    assert misbehave(session, "leave_file").aftermath["files"] == {"left.txt": "5 bytes"}
    assert misbehave(session, "daemon").aftermath["files"] == {}


@pytest.mark.skipif(sys.platform != "linux", reason="shared memory is listed on Linux only")
@pytest.mark.parametrize("name", ["leave_memory", "leave_crash"])
def test_shared_memory_left_is_reported_and_removed(begin, name):
    session = begin()
    (path,) = (left := misbehave(session, name).aftermath["memory"])
    assert left[path] == "5 bytes"
    # A doctor that is killed meanwhile leaves it to its cleanup watchdog.
    assert path in (session.directory / HELD).read_text().split()
    assert not os.path.exists(path)


@pytest.mark.skipif(sys.platform != "linux", reason="shared memory is listed on Linux only")
def test_shared_memory_of_an_idle_probe_is_removed(begin):
    """It was made after the journal had been read: only the end of the session sees it."""
    session = begin()
    trace = misbehave(session, "leave_memory_on_request")
    assert (trace.outcome.kind, list(trace.of("reading"))) == (FINISHED, [])
    (session.directory / "now").touch()
    assert until(
        lambda: (
            b"envdoctor-test"
            in b"".join(path.read_bytes() for path in session.directory.glob("*.jsonl"))
        )
    )
    (path,) = glob.glob(f"/dev/shm/envdoctor-test-{session._probe.pid}*")
    session.close()
    assert not os.path.exists(path)


def test_broken_lines_are_dropped(begin):
    trace = misbehave(begin(), "broken_journal")
    assert trace.outcome.kind == FINISHED
    assert trace.fact("whole") == 1
    assert [event["state"] for event in trace.of("verb")] == ["began", "ended"]


def test_a_program_that_is_not_there(begin):
    outcome = misbehave(begin(python="/nowhere/python")).outcome
    assert outcome.kind == LOST
    assert outcome.reason == "cannot start /nowhere/python: No such file or directory"


def test_a_program_that_is_no_python(begin):
    assert misbehave(begin(python="/bin/false")).outcome.kind == EXITED


def test_no_guard_can_be_started(begin, monkeypatch):
    session = begin()
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert misbehave(session).outcome.kind == LOST


def test_request_larger_than_a_pipe(begin):
    subject = Subject("big", FILE, "pid", kwargs={"text": "x" * 300_000})
    assert begin().play(subject, Scenario("life", "make"), 0).outcome.kind == FINISHED


def test_stop_from_another_thread(begin):
    session = begin()

    def stop():
        until(lambda: has_begun(session, "make"))
        session.request_stop()

    thread = threading.Thread(target=stop)
    thread.start()
    outcome = misbehave(session, "hang").outcome
    thread.join()
    assert (outcome.kind, outcome.verb) == (INTERRUPTED, "make")
    assert misbehave(session).outcome.kind == INTERRUPTED


def test_ctrl_c(begin, monkeypatch):
    session = begin()
    look = ProcessWatch._look

    def look_and_interrupt(watch):
        if watch._journal.verb:
            signal.raise_signal(signal.SIGINT)
        return look(watch)

    monkeypatch.setattr(ProcessWatch, "_look", look_and_interrupt)
    trace = misbehave(session, "hang")
    assert (trace.outcome.kind, trace.outcome.verb) == (INTERRUPTED, "make")
    assert trace.verbs("make")


def test_silence_between_verbs_has_a_limit(begin):
    outcome = misbehave(begin(replace(SHORT, pause=0.5)), "fall_silent").outcome
    assert (outcome.kind, outcome.verb) == (TIMED_OUT, "")
    assert "in fall_silent" in outcome.stacks


def test_close_twice(begin):
    session = begin()
    misbehave(session)
    for _ in range(2):
        session.close()
        assert not session.directory.exists()
        assert processes_of(str(session.directory)) == []


def test_descriptors_are_given_back(begin):
    session = begin()
    misbehave(session)
    before = len(os.listdir("/proc/self/fd"))
    for name in ("exit_three", "daemon", "pid"):
        misbehave(session, name)
    assert len(os.listdir("/proc/self/fd")) == before


def test_the_next_probe_is_there_before_the_present_one_is_parted_from(begin, tmp_path):
    session = begin()
    first = misbehave(session, "pid").fact("pid")
    session.expect_parting(str(tmp_path))
    assert misbehave(session, "pid").fact("pid") == first, "a probe that stays clean is kept"
    expected = session._next.pid or until(lambda: session._next.wait(0.1) or session._next.pid)
    misbehave(session, "exit_three")
    assert misbehave(session, "pid").fact("pid") == expected


def test_a_probe_that_nobody_needed_is_ended_as_well(begin, tmp_path):
    session = begin()
    session.expect_parting(str(tmp_path))
    session.renew()
    assert misbehave(session, "pid").outcome.kind == FINISHED
    session.expect_parting(str(tmp_path))  # the fixture finds whatever is left of it


def test_a_program_that_ends_before_anybody_looks_is_quoted(begin, tmp_path, monkeypatch):
    program = tmp_path / "python"
    program.write_text("#!/bin/sh\necho what is a bundle >&2\nexit 9\n")
    program.chmod(0o755)
    session = begin(python=str(program))
    take = session._take

    def take_late(hash_seed=0):
        probe, kept = take(hash_seed)
        until(lambda: probe.wait(0.1) or not probe.alive)
        return probe, kept

    monkeypatch.setattr(session, "_take", take_late)
    assert misbehave(session).outcome.stderr == "what is a bundle"
