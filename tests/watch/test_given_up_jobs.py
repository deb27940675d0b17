"""Jobs of pools that are given up, as a watched process and the doctor see them."""

from __future__ import annotations

import multiprocessing
import multiprocessing.pool
import os
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from envdoctor.model.finding import Location
from envdoctor.model.training import Training
from envdoctor.model.training_calls import GivenUpJob
from envdoctor.model.training_events import announced
from envdoctor.probe.live import given_up_jobs
from envdoctor.probe.live.given_up_jobs import LATER, take
from envdoctor.run.supervise.journal_reader import decode
from envdoctor.watch import given_up_jobs as looking
from envdoctor.watch.given_up_jobs import WatchedJobs
from envdoctor.watch.pages import PageReport

Result = multiprocessing.pool.ApplyResult


class Pool:
    """Has results that come when they are given."""

    def __init__(self, pid: int | None = 31) -> None:
        worker = threading.Thread() if pid is None else type("Worker", (), {"pid": pid})
        self._pool, self._cache = [worker], dict[int, Any]()

    def result(self) -> Any:
        return Result(self, None, None)  # type: ignore[call-arg]

    def give(self, number: int) -> None:
        """So many other results come."""
        for _ in range(number):
            self.result()._set(0, (True, None))


class Hook:
    """Keeps what is journaled."""

    def __init__(self) -> None:
        self.report = PageReport()
        self.lines: list[bytes] = []

    def write(self, line: bytes) -> None:
        self.lines.append(line)
        self.report.take([announced(decode(line.strip()) or {})])

    def complain(self, why: str) -> None:
        raise AssertionError(why)


@pytest.fixture
def hook(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hook]:
    """The hook of this process, which follows the results of its pools."""
    for name in ("get", "_set"):
        monkeypatch.setattr(Result, name, getattr(Result, name))
    hook = Hook()
    take(hook, multiprocessing.pool)  # type: ignore[arg-type]
    yield hook


def give_up(result: Any) -> None:
    with pytest.raises(multiprocessing.TimeoutError):
        result.get(timeout=0)


LINE = give_up.__code__.co_firstlineno + 2


def test_job_that_nothing_waits_for_is_journaled_once_others_have_come(hook: Hook) -> None:
    pool = Pool()
    result = pool.result()
    give_up(result)
    pool.give(LATER - 1)
    assert hook.report.jobs == {}
    pool.give(5)
    (event,) = hook.report.jobs.values()
    assert event.location == Location(__file__, LINE, "give_up")
    assert event.workers == (31,)
    assert not result.ready()


def later(pool: Pool) -> Any:
    result = pool.result()
    give_up(result)
    pool.give(LATER + 2)
    result._set(0, (True, None))
    return result


def waited_for_again(pool: Pool) -> Any:
    result = pool.result()
    give_up(result)
    waiting = threading.Thread(target=result.get)
    waiting.start()
    pool.give(LATER + 2)
    result._set(0, (True, None))
    waiting.join(9.0)
    return result


def of_another_pool(pool: Pool) -> Any:
    result = pool.result()
    give_up(result)
    Pool().give(LATER + 2)
    return result


def of_threads(_: Pool) -> Any:
    pool = Pool(pid=None)
    result = pool.result()
    give_up(result)
    pool.give(LATER + 2)
    return result


def failed(pool: Pool) -> Any:
    result = pool.result()
    result._set(0, (False, multiprocessing.TimeoutError()))
    give_up(result)
    pool.give(LATER + 2)
    return result


@pytest.mark.parametrize("play", [later, waited_for_again, of_another_pool, of_threads, failed])
def test_others_are_not(hook: Hook, play: Callable[[Pool], Any]) -> None:
    assert play(Pool()) is not None
    assert hook.report.jobs == {}


def test_number_of_followed_jobs_is_bounded(hook: Hook) -> None:
    pool = Pool()
    results = [pool.result() for _ in range(given_up_jobs.MOST + 4)]
    for result in results:
        give_up(result)
    pool.give(LATER)
    assert len(hook.report.jobs) == given_up_jobs.MOST


STACKS = """Process 31 (python train.py):
Current thread 0x01 (most recent call first):
  File "/usr/lib/python3.11/random.py", line 9 in choice
  File "/home/me/train.py", line 23 in digits
  File "/usr/lib/python3.11/multiprocessing/pool.py", line 125 in worker
"""
IDLE = STACKS.replace('  File "/home/me/train.py", line 23 in digits\n', "")


def job_event(number: int, workers: list[int]) -> Any:
    frame = {"file": "/train.py", "line": 42, "function": "reward"}
    keys = {"what": "job-given-up", "pid": 7, "t": 0.0, "number": number}
    return announced({**keys, "workers": workers, "frame": frame})


def test_worker_that_computes_is_named_with_its_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = iter([100, 300, -1])
    monkeypatch.setattr(looking, "stacks", lambda pid: STACKS if pid == 31 else IDLE)
    monkeypatch.setattr(looking.outside, "written", lambda _: next(sizes))
    jobs, events = WatchedJobs(), [job_event(8, [30, 31])]
    for _ in range(3):
        jobs.look(events)
    place, line = Location("/train.py", 42, "reward"), Location("/home/me/train.py", 23, "digits")
    assert jobs.never_ended(events) == (GivenUpJob(7, 8, place, 31, line, 100, 300),)
    assert jobs.never_ended([]) == ()  # its result came
    late = job_event(9, [31])  # after the last look
    assert jobs.never_ended([late]) == (GivenUpJob(7, 9, place),)


def test_worker_has_one_job(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looking, "stacks", lambda _: STACKS)
    monkeypatch.setattr(looking.outside, "written", lambda _: -1)
    jobs, events = WatchedJobs(), [job_event(number, [30, 31]) for number in (8, 9, 10)]
    jobs.look(events)
    assert [job.worker for job in jobs.never_ended(events)] == [30, 31, 0]


def test_stacks_that_are_not_known_leave_the_worker_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looking, "stacks", lambda _: "")
    jobs, events = WatchedJobs(), [job_event(8, [os.getpid()])]
    jobs.look(events)
    (job,) = jobs.never_ended(events)
    assert (job.worker, job.computed) == (0, None)
    training = Training((), jobs=(job,))
    assert Training.from_dict(training.as_dict()) == training
