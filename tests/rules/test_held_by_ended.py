"""Locks of multiprocessing that a process may have held when it ended."""

from __future__ import annotations

import pytest

from envdoctor.model.training import Standstill, Training, TrainingProcess
from envdoctor.model.waits import CHILD, LOCK, PIPE, READS, Wait
from envdoctor.rules.evidence.training import watched_view
from envdoctor.rules.training.trn017_training_stands_still import training_stands_still

JOIN = Wait(1, "python train.py", "wait4", CHILD, "", (2,), True)
SHARED = Wait(2, "python train.py", "futex", LOCK, "", (1, 4), True)
OWN = Wait(2, "python train.py", "futex", LOCK, "", (2,), True)
READ = Wait(2, "python train.py", "read", PIPE, READS, (1,), True)


def said(wait: Wait, *workers: TrainingProcess) -> tuple[str, str]:
    trainer = TrainingProcess(1, code=-15, ended=60.0)
    waiting = TrainingProcess(2, 1, started="fork", code=-15, ended=60.0)
    still = Standstill(40.0, (JOIN, wait), at=20.0)
    processes = (trainer, waiting, *workers)
    view = watched_view(Training((), 1, -15, 60.0, processes, standstill=still))
    (finding,) = training_stands_still.judge(view)
    return finding.message, finding.remedy.text


@pytest.mark.parametrize(
    ("code", "words"), [(1, "pid 3 ended with exit code 1"), (-9, "pid 3 was killed by SIGKILL")]
)
def test_worker_that_ended_before_may_hold_the_lock(code: int, words: str) -> None:
    message, remedy = said(SHARED, TrainingProcess(3, 1, started="fork", code=code, ended=9.0))
    assert message.endswith(f"; {words} before, and nothing gives back a lock that it held")
    assert remedy.startswith("see what ended pid 3, and let no process end within `with lock:`")


def test_others_are_counted() -> None:
    workers = [TrainingProcess(pid, 1, started="fork", code=1, ended=9.0) for pid in (3, 5, 6)]
    assert "exit code 1 before, as 2 others did, and nothing" in said(SHARED, *workers)[0]


@pytest.mark.parametrize(
    ("wait", "worker"),
    [
        (OWN, TrainingProcess(3, 1, code=1, ended=9.0)),
        (READ, TrainingProcess(3, 1, code=1, ended=9.0)),
        (SHARED, TrainingProcess(3, 1, code=0, ended=9.0)),
        (SHARED, TrainingProcess(3, 1, code=None, ended=9.0)),
        (SHARED, TrainingProcess(3, 1, code=1, ended=30.0)),
        (SHARED, TrainingProcess(3, 77, code=1, ended=9.0)),
    ],
)
def test_other_ends_and_waits_are_left_out(wait: Wait, worker: TrainingProcess) -> None:
    message, remedy = said(wait, worker)
    assert "gives back" not in message
    assert "with lock" not in remedy
