"""Calls that hang because of what a fork copies, and instances that a fork copied."""

from __future__ import annotations

from dataclasses import replace

import pytest

from envdoctor.model.errors import Frame
from envdoctor.model.finding import ERROR, Location
from envdoctor.model.page import SOURCES
from envdoctor.model.training import THREAD, Site, Standstill, Training, TrainingProcess
from envdoctor.model.training_aims import MendFailure
from envdoctor.model.training_calls import HeldLock, LongCall, LostThread
from envdoctor.model.training_instances import Calls, Instances, Raised
from envdoctor.model.waits import CHILD, LOCK, SOCKET, Wait
from envdoctor.rules.evidence.beginnings import copies_of_one
from envdoctor.rules.evidence.training import made_for_spaces, watched_trace, watched_view
from envdoctor.rules.evidence.training_forks import fork_cause
from envdoctor.rules.training.trn005_call_does_not_return import call_does_not_return
from envdoctor.rules.training.trn012_equal_beginnings import equal_beginnings
from envdoctor.rules.training.trn017_training_stands_still import training_stands_still

SAVER = LostThread("saver", (Location("/train.py", 51, "save"),))
STACKS = """\
Process 2 (python train.py):
Current thread 0x1 (most recent call first):
  File "/usr/lib/python3.11/threading.py", line 327 in wait
  File "/arm.py", line 30 in step"""
OWN = Wait(2, "python train.py", "futex", LOCK, "", (2,), True)
WORKER = TrainingProcess(2, 1, started="fork", lost_threads=(SAVER,))
CALL = LongCall(2, 1, "step", 41.0, 40.0, STACKS, waits=(OWN,))
MADE = Instances(2, 1, "arm.Arm", Location("/train.py", 14, "main"), step=Calls(1, 0))
COPY = replace(MADE, number=0, inherited=1)
LOCKED = HeldLock(2, "SESSION", SAVER)
HELD = replace(CALL, held=LOCKED)


def hanging(
    call: LongCall = CALL, instance: Instances = MADE, worker: TrainingProcess = WORKER
) -> Training:
    """A training in which a call of a worker hangs."""
    return Training(
        (),
        1,
        processes=(TrainingProcess(1), worker),
        instances=(instance,),
        long_calls=(call,),
        seconds=60.0,
    )


def words(training: Training) -> str:
    """The cause in the fork, or nothing."""
    cause = fork_cause(training, training.long_calls[0], training.instances[0])
    return cause.words if cause else ""


def in_library(library: str, *others: Wait, native: int = 1) -> str:
    """The words on a forked process that waits within a library."""
    waits = (replace(OWN, library=library), *others)
    worker = replace(WORKER, lost_threads=(), lost_native=native)
    return words(hanging(replace(CALL, stacks="", waits=waits), worker=worker))


def test_threads_of_a_library_in_c_that_a_fork_does_not_copy_are_the_cause() -> None:
    assert in_library("libgomp-a34b3233.so.1") == (
        "it waits in libgomp-a34b3233.so.1 for other threads and has none: 1 thread of libraries in"
        " C that the trainer had is not in a fork"
    )
    assert in_library("libiomp5.so")


def test_fork_is_not_accused_where_a_process_waits_in_another_library_or_has_threads() -> None:
    assert not in_library("libc.so.6")
    assert not in_library("libgomp.so.1", native=0)
    assert not in_library("libgomp.so.1", replace(OWN, main=False))


def test_lock_that_a_thread_of_the_parent_held_is_the_cause() -> None:
    assert words(hanging(HELD)) == (
        "it waits for the lock SESSION, which the thread 'saver' of the trainer held when the"
        " process was forked"
    )


def test_instance_of_before_the_fork_is_the_cause() -> None:
    assert words(hanging(instance=COPY)) == (
        "the instance was made at /train.py:14 in the trainer, before the fork, which copied none"
        " of its threads (saver)"
    )


def test_thread_that_only_the_parent_has_is_the_cause() -> None:
    assert words(hanging()).startswith("it waits for another thread and has none")


@pytest.mark.parametrize(
    "training",
    [
        hanging(HELD, worker=replace(WORKER, started="exec")),
        hanging(replace(HELD, waits=())),
        hanging(replace(HELD, waits=(OWN, Wait(2, "", "read", SOCKET, "read", main=False)))),
        hanging(replace(HELD, waits=(replace(OWN, peers=(1, 2)),))),
        hanging(replace(HELD, waits=(replace(OWN, known=False),))),
        hanging(replace(CALL, waits=()), COPY),
        hanging(worker=replace(WORKER, lost_threads=())),
        hanging(worker=replace(WORKER, thread_raised=Raised("ValueError"))),
        hanging(replace(CALL, stacks="")),
        hanging(replace(CALL, stacks=STACKS.replace("threading.py", "queue.py"))),
        replace(hanging(), sites=(Site(2, THREAD, "threading.Thread", made=1),)),
    ],
    ids=[
        "spawned",
        "waits are not known",
        "another thread reads a socket",
        "a lock that processes share",
        "a lock with a limit",
        "a copy whose waits are not known",
        "the parent had no thread",
        "a thread of its own died",
        "no py-spy",
        "it waits for something else",
        "it started threads",
    ],
)
def test_fork_is_not_blamed_for_what_it_is_not_known_to_cause(training: Training) -> None:
    assert words(training) == ""


def test_cause_and_cure_are_in_the_finding_on_the_call() -> None:
    (finding,) = call_does_not_return.judge(watched_view(hanging(HELD)))
    assert "the lock SESSION" in finding.message
    assert "spawn" in finding.remedy.text
    # No line is known that starts processes: they are started where the instance is made.
    assert finding.remedy.aim == MendFailure(Frame("/train.py", 14), "fork")


def standing(*waits: Wait, held: tuple[HeldLock, ...] = (LOCKED,)) -> Training:
    """A training that stands still out of any call of an environment."""
    still = Standstill(40.0, waits, at=20.0, held=held)
    stepped = replace(MADE, step=Calls(1, 1))
    return replace(hanging(instance=stepped), long_calls=(), code=-2, standstill=still)


JOIN = Wait(1, "python train.py", "wait4", CHILD, "", (2,), True)


def test_held_lock_is_the_cause_of_a_standstill() -> None:
    (finding,) = training_stands_still.judge(watched_view(standing(JOIN, OWN)))
    assert "pid 2 waits for the lock SESSION, which the thread 'saver'" in finding.message
    assert "spawn" in finding.remedy.text


@pytest.mark.parametrize(
    "training",
    [
        standing(JOIN, OWN, held=()),
        standing(replace(JOIN, peers=(3,)), OWN),
        standing(JOIN, replace(OWN, known=False)),
    ],
    ids=["no lock", "the trainer waits for another one", "a lock with a limit"],
)
def test_standstill_is_not_blamed_on_a_fork_that_is_not_known_to_cause_it(
    training: Training,
) -> None:
    (finding,) = training_stands_still.judge(watched_view(training))
    assert "SESSION" not in finding.message


def stuck() -> Training:
    """A process of it waits for a lock; the trainer draws a progress bar, and does not stand."""
    training = standing(OWN)
    assert training.standstill is not None
    return replace(training, standstill=replace(training.standstill, stuck=(2,)))


def test_process_that_waits_for_a_held_lock_is_reported_where_others_run_on() -> None:
    (finding,) = training_stands_still.judge(watched_view(stuck()))
    assert finding.message.startswith("no thread of 1 forked process ran for 40 s: ")
    assert "pid 2 waits for the lock SESSION, which the thread 'saver'" in finding.message
    assert finding.severity == ERROR
    assert not list(training_stands_still.judge(watched_view(replace(stuck(), code=0))))


@pytest.mark.parametrize("training", [hanging(HELD), standing(JOIN, OWN), stuck()])
def test_lost_threads_are_kept_as_lines(training: Training) -> None:
    assert Training.from_dict(training.as_dict()) == training
    assert watched_trace(training)


def copies(number: int = 3) -> tuple[Instances, ...]:
    """Copies of one instance that begin alike, each in a worker of one vectorizer."""
    state = {"beginning": 5, "varied": True, "moved": ("self",), "group": "1.1"}
    generators = tuple(7 if name == "self" else 0 for name in SOURCES)
    first = replace(COPY, step=Calls(90, 90), generators=generators, **state)
    return tuple(replace(first, pid=pid) for pid in range(2, 2 + number))


def trained(*instances: Instances) -> Training:
    """A training in whose forked workers instances are played."""
    workers = (replace(WORKER, pid=each.pid) for each in instances)
    return Training((), 1, processes=(TrainingProcess(1), *workers), instances=instances)


def test_workers_that_have_copies_of_one_instance_begin_alike() -> None:
    (finding,) = equal_beginnings.judge(watched_view(trained(*copies())))
    assert finding.message.startswith(
        "all 3 workers have copies of one instance of Arm made at /train.py:14, before the fork"
    )
    assert "(`lambda: Arm()`, not `lambda: env`)" in finding.remedy.text


def test_copies_that_begin_otherwise_are_healthy() -> None:
    seeded = (replace(each, beginning=each.pid) for each in copies())
    assert not list(equal_beginnings.judge(watched_view(trained(*seeded))))


def test_copies_of_several_instances_are_not_of_one() -> None:
    several = [replace(each, row=each.pid) for each in copies()]
    assert not copies_of_one(trained(*several), several)
    assert copies_of_one(trained(*copies()), list(copies()))


@pytest.mark.parametrize(
    ("hidden", "is_left_out"),
    [
        (Instances(1, 2, "arm.Arm", by="ding-base"), True),
        (Instances(1, 2, "arm.Arm", by="ding-base", group="1.1"), True),
        (Instances(1, 2, "arm.Arm", by="ding-base", group="1.2"), False),
        (Instances(1, 2, "arm.Arm"), False),
        (Instances(1, 2, "leg.Leg", by="ding-base"), False),
        (Instances(1, 2, "arm.Arm", by="ding-base", reset=Calls(1, 1)), False),
    ],
    ids=["before", "beside", "another vectorizer", "the script's", "another class", "called"],
)
def test_instance_that_a_vectorizer_makes_for_its_spaces_is_left_out(
    hidden: Instances, is_left_out: bool
) -> None:
    stepped = Instances(2, 1, "arm.Arm", by="ding-subproc", group="1.1", step=Calls(9, 9))
    training = Training((), 1, instances=(stepped, hidden))
    assert (hidden in list(made_for_spaces(training))) is is_left_out


def test_threads_are_not_mentioned_where_none_was_lost() -> None:
    lone = hanging(instance=COPY, worker=replace(WORKER, lost_threads=()))
    assert words(lone) == "the instance was made at /train.py:14 in the trainer, before the fork"
