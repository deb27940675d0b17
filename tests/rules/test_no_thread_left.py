"""What TRN017 says where no thread is left that could end a wait."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from envdoctor.model.finding import Finding, Location
from envdoctor.model.training import Standstill, Training, TrainingProcess
from envdoctor.model.training_calls import Waker
from envdoctor.model.training_instances import Instances, Raised
from envdoctor.model.waits import LOCK, PIPE, READS, Wait
from envdoctor.rules.evidence.training import training_of, watched_view
from envdoctor.rules.training.trn017_training_stands_still import training_stands_still

THREADING = '  File "/usr/lib/python3.11/threading.py", line 327 in wait'
MAIN = f"""Process 1 (python run.py):
Thread 0x7f1 (most recent call first):
{THREADING}
  File "/table.py", line 28 in sample
  File "/prefetch.py", line 17 in prefetch
Current thread 0x7f0 (most recent call first):
{THREADING}
  File "/usr/lib/python3.11/queue.py", line 171 in get
  File "/prefetch.py", line 22 in __next__
  File "/run.py", line 63 in update
"""
WAITS = (
    Wait(1, "python run.py", "futex", LOCK, peers=(1,), known=True),
    Wait(1, "python run.py", "futex", LOCK, peers=(1,), known=True, main=False),
)
WAKER = Waker(1, Location("/table.py", 28), "notify_all", Location("/table.py", 18, "insert"))
LEFT = (
    "; only notify_all() in insert() (table.py:18) ends the wait at table.py:28, and no thread is"
    " left that could call it"
)


EXITS = (
    MAIN.partition("Current")[0]
    + """Current thread 0x7f0 (most recent call first):
  File "/usr/lib/python3.11/threading.py", line 1590 in _shutdown
"""
)
JOINS = (
    MAIN.partition("Current")[0]
    + """Current thread 0x7f0 (most recent call first):
  File "/usr/lib/python3.11/threading.py", line 1139 in _wait_for_tstate_lock
  File "/usr/lib/python3.11/threading.py", line 1119 in join
  File "/run.py", line 63 in update
"""
)


def finding(**changes: object) -> Finding:
    still = Standstill(7.0, **{"waits": WAITS, "stacks": MAIN, "wakers": (WAKER,), **changes})
    trainer = TrainingProcess(1, code=-2, ended=9.0, raised=Raised("KeyboardInterrupt", at=8.0))
    arm = Instances(1, 1, "arm.Arm")
    training = Training((), 1, -2, 9.0, (trainer,), (arm,), standstill=still)
    (each,) = training_stands_still.judge(watched_view(training))
    return each


def test_call_that_no_thread_is_left_for_is_named_with_a_cure() -> None:
    each = finding()
    assert each.message.endswith(LEFT)
    assert each.remedy.text.startswith(
        "do not wait at prefetch.py:22 in the thread that is to call insert(), unless"
    )


def test_all_calls_that_end_the_wait_are_named() -> None:
    other = replace(WAKER, method="set", location=Location("/table.py", 41))
    words = "notify_all() in insert() (table.py:18) or set() (table.py:41) ends the wait"
    assert words in finding(wakers=(WAKER, other)).message


@pytest.mark.parametrize(
    "changes",
    [
        {"wakers": ()},
        {"wakers": (replace(WAKER, pid=2),)},
        {"waits": (WAITS[0], replace(WAITS[1], known=False))},  # something outside may end it
        {"waits": (WAITS[0], Wait(1, "", "read", PIPE, READS, (1, 2), True, main=False))},
        {"stacks": MAIN.replace(THREADING, '  File "/c.py", line 3 in step', 1)},  # it may go on
        {"stacks": MAIN.partition("Current")[0]},
    ],
    ids=str,
)
def test_nothing_is_said_where_a_thread_may_go_on(changes: Mapping[str, object]) -> None:
    assert "no thread is left" not in finding(**changes).message


@pytest.mark.parametrize(("stacks", "cure"), [(EXITS, "a writer"), (JOINS, "before it is joined")])
def test_threads_that_the_main_one_waits_for_are_to_end(stacks: str, cure: str) -> None:
    each = finding(stacks=stacks)
    assert "no thread is left" not in each.message
    assert cure in each.remedy.text


def test_calls_are_read_from_a_saved_training() -> None:
    still = Standstill(7.0, WAITS, MAIN, wakers=(WAKER,))
    view = watched_view(Training((), 1, standstill=still))
    assert training_of(view).standstill == still
