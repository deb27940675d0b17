"""Waits in processes that stand still: read from the kernel, and put in words."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from types import SimpleNamespace

import pytest

from envdoctor.model.finding import ERROR
from envdoctor.model.training import Standstill, Training, TrainingProcess
from envdoctor.model.training_instances import Calls, Instances, Raised
from envdoctor.model.waits import CHILD, LOCK, PIPE, READS, SOCKET, TIME, WRITES, Wait
from envdoctor.rules.engine.registry import all_rules
from envdoctor.rules.evidence.training import watched_view
from envdoctor.rules.wording.waits import (
    fed_beside,
    full_pipe,
    is_deadlock,
    joins_thread,
    sentences,
)
from envdoctor.run.supervise.idle_detection import Idleness
from envdoctor.run.supervise.machine import machine
from envdoctor.watch import tree
from envdoctor.watch.stacks import written

pytestmark = pytest.mark.waits

linux = pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
PATIENCE = 60  # seconds


@contextmanager
def program(code: str) -> Iterator[subprocess.Popen[bytes]]:
    """A Python that has written a line, and that ends with all its children."""
    command = [sys.executable, "-u", "-c", code]
    started = subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True)
    try:
        assert select.select([started.stdout], [], [], PATIENCE)[0]
        yield started
    finally:
        for pid in list(tree.below(started.pid)):  # all of them, before their parent is gone
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        started.communicate(timeout=PATIENCE)


def waits_of(pid: int, number: int) -> tuple[Wait, ...]:
    """Return what the processes below one wait for, as soon as so many stand still."""
    clock = Idleness()
    for _ in range(PATIENCE * 10):
        pids = list(tree.below(pid))
        if len(pids) >= number and clock.seconds(pids) >= 0.3:
            return machine.blocked(pids)
        select.select([], [], [], 0.1)
    raise AssertionError("it does not stand still")


TICKS = """
import threading, time
def tick():
    while True:
        time.sleep(0.02)
threading.Thread(target=tick, daemon=True).start()
print("ready")
threading.Lock().acquire()
threading.Event().wait()
"""

NAPS = TICKS.replace("time.sleep(0.02)", "ctypes.CDLL(None).usleep(20_000)").replace(
    "import threading, time", "import ctypes, threading"
)
WORKS = """
import threading
def work():
    while True:
        sum(range(1000))
threading.Thread(target=work, daemon=True).start()
print("ready")
threading.Event().wait()
"""


@linux
@pytest.mark.parametrize(
    ("code", "ticks", "is_still"),
    [(TICKS, True, True), (NAPS, True, True), (TICKS, False, False), (WORKS, True, False)],
)
def test_thread_that_only_sleeps_and_wakes_is_passed_over(
    code: str, ticks: bool, is_still: bool
) -> None:
    with program(code) as started:
        clock = Idleness(ticks=ticks)
        clock.begin([started.pid])
        looks = 0
        while clock.seconds([started.pid]) < 1.0 and looks < (PATIENCE * 5 if is_still else 30):
            select.select([], [], [], 0.2)
            looks += 1
        assert (clock.seconds([started.pid]) >= 1.0) is is_still
        assert len(clock.ticking) == is_still


JOIN_BEFORE_GET = """
import multiprocessing as mp
queue = mp.get_context("fork").Queue()
worker = mp.get_context("fork").Process(target=queue.put, args=(b"x" * 1_000_000,))
worker.start()
print("ready")
worker.join()
"""

UNREAD_RESULTS = """
import multiprocessing as mp
context = mp.get_context("fork")
queue = context.Queue()
workers = [context.Process(target=queue.put, args=(b"x" * 1_000_000,)) for _ in range(2)]
for worker in workers:
    worker.start()
print("ready")
for worker in workers:
    worker.join()
"""

TWO_LOCKS = """
import multiprocessing as mp
context = mp.get_context("fork")
ours, theirs, ready = context.Lock(), context.Lock(), context.Event()
def work():
    theirs.acquire()
    ready.set()
    ours.acquire(timeout=600 if LIMITED else None)
ours.acquire()
worker = context.Process(target=work)
worker.start()
ready.wait()
print("ready")
theirs.acquire()
"""

CHATTY = """
import socket, subprocess, sys
ours, theirs = socket.socketpair()
code = "import sys, socket; print('x' * 200_000); socket.socket(fileno=int(sys.argv[1])).send(b'1')"
words = [sys.executable, "-c", code, str(theirs.fileno())]
child = subprocess.Popen(words, stdout=subprocess.PIPE, pass_fds=[theirs.fileno()])
theirs.close()
print("ready")
ours.recv(1)
"""


SELECTS = """
import socket, subprocess, sys
ours, theirs = socket.socketpair()
code = "import select, socket, sys; select.select([socket.socket(fileno=int(sys.argv[1]))], [], [], LIMIT)"
words = [sys.executable, "-c", code.replace("LIMIT", repr(LIMIT)), str(theirs.fileno())]
child = subprocess.Popen(words, pass_fds=[theirs.fileno()])
theirs.close()
print("ready")
ours.recv(1)
"""


@linux
@pytest.mark.parametrize("limit", [None, 600.0])
def test_select_of_a_child_waits_for_its_parent(limit: float | None) -> None:
    with program(f"LIMIT = {limit}\n{SELECTS}") as trainer:
        waits = waits_of(trainer.pid, 2)
        (child,) = (each for each in waits if each.pid != trainer.pid)
        assert (child.on, child.way, child.peers) == (SOCKET, READS, (trainer.pid,))
        assert child.known is (limit is None)
        assert is_deadlock(waits, trainer.pid) is (limit is None)


@linux
def test_join_of_a_child_whose_pipe_is_full_is_a_deadlock() -> None:
    with program(JOIN_BEFORE_GET) as trainer:
        waits = waits_of(trainer.pid, 2)
        writer = full_pipe(waits, trainer.pid)
        assert writer is not None
        assert (writer.call, writer.main, trainer.pid in writer.peers) == ("write", False, True)
        assert is_deadlock(waits, trainer.pid)


@linux
def test_workers_that_wait_for_the_lock_of_one_pipe_are_in_the_deadlock() -> None:
    """One writes to the pipe of the queue, the other waits for the semaphore of its writers."""
    with program(UNREAD_RESULTS) as trainer:
        waits = waits_of(trainer.pid, 3)
        locks = [each for each in waits if each.on == LOCK and trainer.pid in each.peers]
        assert any(each.known and len(each.peers) == 3 for each in locks)
        assert is_deadlock(waits, trainer.pid)


@linux
@pytest.mark.parametrize("limited", [False, True])
def test_lock_that_is_waited_for_with_a_limit_is_not_a_deadlock(limited: bool) -> None:
    with program(f"LIMITED = {limited}\n{TWO_LOCKS}") as trainer:
        assert is_deadlock(waits_of(trainer.pid, 2), trainer.pid) is not limited


@linux
def test_child_that_writes_to_a_pipe_that_its_parent_does_not_read_is_found() -> None:
    with program(CHATTY) as trainer:
        waits = waits_of(trainer.pid, 2)
        by_pid = {each.pid: each for each in waits}
        own = by_pid[trainer.pid]
        (child,) = set(by_pid) - {trainer.pid}
        assert (own.on, own.way, own.peers) == (SOCKET, READS, (child,))
        assert full_pipe(waits, trainer.pid) == by_pid[child]


@linux
@pytest.mark.parametrize("sleep", ["time.sleep(600)", "select.select([], [], [], 600)"])
def test_process_that_sleeps_is_not_in_a_deadlock(sleep: str) -> None:
    with program(f"import select, time; print('ready'); {sleep}") as trainer:
        waits = waits_of(trainer.pid, 1)
        assert [each.on for each in waits] == [TIME]
        assert not is_deadlock(waits, trainer.pid)


JOIN = Wait(1, "python train.py", "wait4", CHILD, "", (2,), True)
LOCKED = Wait(2, "python train.py", "futex", LOCK, "", (2,), True)
FEED = Wait(2, "python train.py", "write", PIPE, WRITES, (1, 2), True, main=False)
ANSWER = Wait(1, "python train.py", "recvfrom", SOCKET, READS, (2,), True)


def test_thread_that_feeds_a_pipe_says_more_than_the_lock_of_its_main_thread() -> None:
    (_, second) = sentences((JOIN, LOCKED, FEED), "", 1)
    assert second == "pid 2 (python train.py) waits until the trainer reads a pipe that is full"


def test_pipe_that_only_the_writer_reads_is_not_the_trainers() -> None:
    own = Wait(2, "", "write", PIPE, WRITES, (2,), True)
    assert full_pipe((ANSWER, own), 1) is None


@pytest.mark.parametrize(
    "other",
    [
        Wait(2, "", "epoll_wait"),
        Wait(2, "", "futex", LOCK, "", (2,)),
        Wait(2, "", "recvfrom", SOCKET, READS, (9,), True),
    ],
)
def test_one_wait_that_may_end_is_not_a_deadlock(other: Wait) -> None:
    assert is_deadlock((JOIN, LOCKED, FEED), 1)
    assert not is_deadlock((JOIN, LOCKED, FEED, other), 1)
    assert not is_deadlock((), 1)


def test_helper_that_waits_for_what_it_is_asked_does_not_end_a_deadlock() -> None:
    server = Wait(3, "forkserver", "epoll_wait")
    assert is_deadlock((JOIN, LOCKED, FEED, server), 1)
    assert not is_deadlock((JOIN, LOCKED, FEED, server), 3)


QUEUE = """Process 1 (python train.py):
Thread 0x02 (most recent call first):
  File "/usr/lib/python3.12/multiprocessing/connection.py", line 384 in _send
  File "/usr/lib/python3.12/multiprocessing/queues.py", line 250 in _feed
Current thread 0x01 (most recent call first):
  File "/usr/lib/python3.12/threading.py", line 1119 in join
"""


def test_feeder_thread_of_a_queue_is_named_where_stacks_are_known() -> None:
    writes = Wait(1, "", "write", PIPE, WRITES, (1,), True, main=False)
    joins = Wait(1, "", "futex", LOCK, "", (1,), True)
    (known,) = sentences((joins, writes), QUEUE, 1, {1})
    assert known == (
        "the trainer waits at its exit for the feeder thread of a queue, whose pipe is full, and"
        " which no other process reads"
    )
    (unknown,) = sentences((joins, writes), "", 1)
    assert unknown == (
        "the trainer waits until a pipe is read that is full, and that no other process reads"
    )


def test_child_that_is_joined_may_wait_for_the_lock_of_a_queue_that_another_one_fills() -> None:
    trainer = Wait(1, "", "wait4", CHILD, "", (2,), True)
    fills = Wait(3, "", "write", PIPE, WRITES, (1, 2), True, main=False)
    two, three = (QUEUE.replace("Process 1", f"Process {pid}") for pid in (2, 3))
    assert fed_beside((trainer, fills), trainer, two + three) == fills
    assert fed_beside((trainer, fills), trainer, three) is None
    assert fed_beside((trainer, replace(fills, peers=(2,))), trainer, two + three) is None


MAIN = """Current thread 0x01 (most recent call first):
  File "/usr/lib/python3.12/threading.py", line 1119 in join
  File "/home/me/train.py", line 70 in main
"""
PREDICTOR = """Thread 0x02 (most recent call first):
  File "/usr/lib/python3.12/multiprocessing/connection.py", line 395 in _recv
  File "/usr/lib/python3.12/multiprocessing/queues.py", line 103 in get
  File "/home/me/train.py", line 43 in run
  File "/usr/lib/python3.12/threading.py", line 1002 in _bootstrap
"""
WRITER = """Thread 0x03 (most recent call first):
  File "/usr/lib/python3.12/threading.py", line 355 in wait
  File "/usr/lib/python3.12/site-packages/tensorboard/writer.py", line 9 in run
"""
IDLE = """Thread 0x04 (most recent call first):
  File "/usr/lib/python3.12/threading.py", line 355 in wait
  File "/home/me/log.py", line 12 in flush
"""
JOINS = Wait(1, "", "futex", LOCK, "", (1,), True)
READ_BY_THREAD = Wait(1, "", "read", PIPE, READS, (1,), True, main=False)
IN_LOCK = replace(JOINS, main=False)


def stacks(*threads: str) -> str:
    return "".join(("Process 1 (python train.py):\n", *threads))


@pytest.mark.parametrize(
    ("waits", "threads", "others"),
    [
        (
            (JOINS, READ_BY_THREAD),
            (PREDICTOR, MAIN),
            (
                ", while 1 other thread of it waits in get() (train.py:43) for a pipe whose other"
                " end only it has itself"
            ),
        ),
        (
            (JOINS, READ_BY_THREAD, IN_LOCK, IN_LOCK),
            (IDLE, WRITER, PREDICTOR, IDLE, MAIN),
            ", while 2 other threads of it wait in wait() (log.py:12) and 1 in get() (train.py:43)",
        ),
        (
            (JOINS, READ_BY_THREAD, IN_LOCK),  # which of them is the one that has a stack?
            (PREDICTOR, MAIN),
            ", while 1 other thread of it waits in get() (train.py:43)",
        ),
        (
            (JOINS, IN_LOCK),
            (WRITER, MAIN),
            ", while 1 other thread of it waits in wait() (writer.py:9) for a lock of its own",
        ),
        ((JOINS,), (MAIN,), ""),
    ],
)
def test_lines_are_named_in_which_other_threads_wait(
    waits: tuple[Wait, ...], threads: tuple[str, ...], others: str
) -> None:
    (sentence,) = sentences(waits, stacks(*threads), 1)
    assert sentence == f"the trainer waits in join() (train.py:70) for a lock of its own{others}"


def test_other_threads_are_not_named_where_the_main_thread_does_not_wait_for_them() -> None:
    first, *_ = sentences((JOIN, READ_BY_THREAD), stacks(PREDICTOR, MAIN), 1)
    assert first == "the trainer waits in join() (train.py:70) for the end of pid 2"


def test_line_of_another_thread_is_not_mistaken_for_the_main_threads() -> None:
    main = MAIN.replace("/home/me/train.py", "/usr/lib/python3.12/threading.py")
    (sentence,) = sentences((JOINS, READ_BY_THREAD), stacks(PREDICTOR, main), 1)
    assert sentence.startswith("the trainer waits for a lock of its own, while 1 other thread")


def test_thread_that_is_joined_while_it_reads_has_to_be_ended() -> None:
    agent = TrainingProcess(2, 1, code=0, ended=10.0)
    still = Standstill(40.0, (JOINS, READ_BY_THREAD), stacks(PREDICTOR, MAIN), at=20.0)
    seen = replace(
        standing(),
        pid=1,
        processes=(TrainingProcess(1), agent),
        instances=(Instances(2, 1, "arm.Arm", step=Calls(40, 40)),),
        standstill=still,
    )
    (finding,) = all_rules()["TRN017"].judge(watched_view(seen))
    assert (finding.severity, finding.remedy.text[:14]) == (ERROR, "end the thread")
    assert finding.message.endswith("only it has itself; 1 worker had ended before")


def test_feeder_of_a_queue_that_is_joined_is_not_sent_a_last_value() -> None:
    finalizes = MAIN.replace("/home/me/train.py", "/usr/lib/python3.12/multiprocessing/queues.py")
    assert joins_thread(JOINS, stacks(MAIN))
    assert not joins_thread(JOINS, stacks(finalizes))
    assert not joins_thread(IN_LOCK, stacks(MAIN))


def test_stack_of_a_forked_worker_ends_where_the_worker_begins() -> None:
    names = (("recv", "connection.py"), ("_bootstrap", "process.py"), ("start", "context.py"))
    frames = [
        SimpleNamespace(name=name, filename=f"/lib/multiprocessing/{file}", line=1)
        for name, file in names
    ]
    thread = SimpleNamespace(os_thread_id=7, thread_id=1, frames=frames)
    assert [line for line in written(7, [thread]) if "File" in line] == [
        '  File "/lib/multiprocessing/connection.py", line 1 in recv'
    ]


def standing(seconds: float = 40.0, code: int = -2, over: bool = True) -> Training:
    arm = Instances(1, 1, "arm.Arm")
    still = Standstill(seconds, (JOIN, LOCKED, FEED))
    return Training((), 1, code, 60.0, instances=(arm,), standstill=still, over=over)


@pytest.mark.parametrize(
    ("training", "number"),
    [
        (standing(), 1),
        (standing(code=0, over=False), 1),
        (standing(code=0), 0),
        (standing(seconds=4.0), 0),
    ],
)
def test_standstill_is_reported_where_the_training_did_not_go_on(
    training: Training, number: int
) -> None:
    assert len(list(all_rules()["TRN017"].judge(watched_view(training)))) == number
    assert Training.from_dict(training.as_dict()) == training


def test_constructor_that_ctrl_c_ended_never_came_back() -> None:
    hung = Instances(2, 1, "arm.Arm", number=1, gone=1, unmade=1)
    assert hung.was_stopped_in("make")
    assert not hung.was_stopped_in("step")
    assert replace(hung, raised=1).was_stopped_in("step")
    assert not replace(hung, unmade=0).was_stopped_in("make")


@pytest.mark.parametrize(
    ("exits", "raised", "words"),
    [
        (9.0, Raised("ValueError", "no seed", at=8.0), "ran for 40 s after ValueError: no seed: "),
        (None, Raised("ValueError", "no seed", at=8.0), "ran for 40 s: "),
        (9.0, Raised("ValueError", "no seed", at=12.0), "ran for 40 s: "),
        (9.0, Raised("KeyboardInterrupt", at=8.0), "ran for 40 s: "),
    ],
    ids=["ended the script", "the script went on", "came later", "Ctrl-C"],
)
def test_exception_that_ended_the_script_is_named(
    exits: float | None, raised: Raised, words: str
) -> None:
    training = standing()
    assert training.standstill is not None
    still = replace(training.standstill, at=10.0)
    trainer = TrainingProcess(1, exits=exits, raised=raised)
    (finding,) = all_rules()["TRN017"].judge(
        watched_view(replace(training, standstill=still, processes=(trainer,)))
    )
    assert words in finding.message
