"""Objects of the user's that start processes: where they were made, and what their close() ends."""

from __future__ import annotations

import gc
import inspect
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from envdoctor.model import page
from envdoctor.model.training import OWN_VECTORIZER
from envdoctor.model.training_events import announced
from envdoctor.probe.live.sites import Sites, _Made
from envdoctor.probe.live.starters import is_running, started
from envdoctor.watch.pages import Counts, PageReport, sites

HERE = os.path.abspath(__file__)
SLEEP = [sys.executable, "-c", "import time; time.sleep(600)"]


class Process:
    """A process that an object of the user's starts."""

    def __init__(self) -> None:
        self.child = subprocess.Popen(SLEEP)
        self.pid = self.child.pid

    def end(self) -> None:
        """End it, and wait for that."""
        self.child.kill()
        self.child.wait(timeout=60)


class Watched:
    """The sites of this process, with a page and a journal of their own."""

    def __init__(self) -> None:
        self.numbers = [0] * (page.ROWS * page.WIDTH)
        self.journal: list[dict[str, Any]] = []
        self.complaints: list[str] = []
        self.processes: list[Process] = []
        self.sites = Sites(
            lambda new=False: self.numbers,
            lambda: (HERE, 1, "f"),
            self.tell,
            self.complaints.append,
        )

    def tell(self, what: str, **keys: Any) -> None:
        self.journal.append({"what": what, "pid": 1, "t": 0.0, "page": "1.page", **keys})

    def process(self) -> Process:
        """A process that runs until the test is over."""
        self.processes.append(Process())
        return self.processes[-1]

    def column(self, number: int) -> int:
        """A number of the first site."""
        return self.numbers[(page.ROWS - 1) * page.WIDTH + number]


@pytest.fixture
def watched() -> Iterator[Watched]:
    """Sites whose processes are ended after the test."""
    made = Watched()
    yield made
    assert made.complaints == []
    for process in made.processes:
        process.end()


def start(watched: Watched) -> Process:
    """Start a process, as the hook around `start()` sees it."""
    process = watched.process()
    watched.sites._by_object(process)
    return process


def kind(watched: Watched, ends: bool, close: str = "close") -> type:
    """A class of the user's that has one worker, which `close` ends or does not."""

    class Vector:
        def __init__(self) -> None:
            self.workers = [start(watched) for _ in range(1)]

        def step(self) -> None:
            return

        def _close(self) -> None:
            for worker in self.workers if ends else ():
                worker.end()

    setattr(Vector, close, Vector._close)
    return Vector


def test_line_outside_of_the_object_is_the_site(watched: Watched) -> None:
    cls = kind(watched, ends=True)
    frame = inspect.currentframe()
    envs = cls()
    assert frame is not None
    site, worker = watched.journal
    assert (site["what"], site["frame"]["file"]) == (OWN_VECTORIZER, HERE)
    assert site["frame"]["line"] == frame.f_lineno - 4
    assert worker["workers"] == [envs.workers[0].pid]


@pytest.mark.parametrize("ends", [False, True])
def test_workers_that_run_after_close_are_counted(watched: Watched, ends: bool) -> None:
    cls = kind(watched, ends)
    kept = []
    for _ in range(4):
        kept.append(cls())
        kept[-1].close()
    assert watched.column(page.SITE_MADE) == watched.column(page.SITE_CLOSED) == 4
    assert watched.column(page.SITE_RUNNING) == (0 if ends else 3)


def test_closed_ones_are_not_kept_in_mind_once_their_workers_end(watched: Watched) -> None:
    def references() -> int:
        gc.collect()
        return sum(type(each) is _Made for each in gc.get_objects())

    cls, before = kind(watched, ends=True), references()
    for _ in range(10):
        cls().close()
    assert references() == before


def test_one_worker_that_ended_says_that_close_may_end_them_later(watched: Watched) -> None:
    cls = kind(watched, ends=False)
    kept = []
    for _ in range(4):
        kept.append(cls())
        kept[-1].close()
    kept[0].workers[0].end()
    watched.sites._exiting()
    assert watched.column(page.SITE_RUNNING) == 0


@pytest.mark.parametrize(("is_ended", "idle"), [(False, 2), (True, 0)])
def test_unclosed_ones_are_kept_only_while_their_workers_run(
    watched: Watched, is_ended: bool, idle: int
) -> None:
    cls = kind(watched, ends=True)
    kept = []
    for _ in range(4):
        kept.append(cls())
        kept[-1].step()
        if is_ended:
            kept[-1].workers[0].end()
    assert watched.column(page.SITE_IDLE) == idle
    assert watched.column(page.SITE_CLOSED) == 0


def test_vectorizer_is_freed_with_its_last_reference(watched: Watched) -> None:
    enabled = gc.isenabled()
    gc.disable()
    try:
        kind(watched, ends=False)()
        assert watched.column(page.SITE_GONE) == 1
    finally:
        if enabled:
            gc.enable()


def test_class_without_close_is_not_a_vectorizer(watched: Watched) -> None:
    kind(watched, ends=True, close="shutdown")()
    assert watched.journal == []


def test_function_that_starts_processes_is_not_a_vectorizer(watched: Watched) -> None:
    start(watched)
    assert watched.journal == []


def test_process_that_ended_does_not_run(watched: Watched) -> None:
    process = watched.process()
    worker = (process.pid, started(process.pid))
    assert is_running(worker)
    assert not is_running((process.pid, worker[1] + 1))  # another one with its number
    process.child.kill()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert not is_running(worker)  # it ended, and its parent has not asked yet
    process.end()
    assert not is_running(worker)


@pytest.mark.parametrize(("maker", "is_shown"), [(7, True), (8, False)])
def test_class_whose_processes_make_no_environment_is_not_shown(
    tmp_path: Path, maker: int, is_shown: bool
) -> None:
    told = PageReport()
    events = [
        {"what": OWN_VECTORIZER, "pid": 1, "row": 1, "type": "__main__.Vector", "page": "1.page"},
        {"what": "started", "pid": 1, "row": 1, "workers": [7], "page": "1.page"},
        {"what": "instance", "pid": maker, "row": 1, "type": "arm.Arm", "page": "7.page"},
    ]
    told.take(announced({"t": 0.0, **event}) for event in events)
    counts = Counts("1.page", 1, 0, 0, {}, sites={1: (4, 0, 4, 0, 0, 0, 4, 3)})
    shown = [(each.kind, each.made, each.running) for each in sites(counts, told)]
    assert shown == ([(OWN_VECTORIZER, 4, 3)] if is_shown else [])
