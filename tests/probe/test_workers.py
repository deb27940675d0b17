"""Ends of workers are reported, also where multiprocessing has forgotten the workers."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
from pathlib import Path

import pytest

from envdoctor.probe.journal import Journal
from envdoctor.probe.system import workers

PATIENCE = 600.0  # seconds


def end_by_signal() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork here")
def test_a_worker_that_the_manager_joined_is_reported_once(tmp_path: Path) -> None:
    journal = Journal(str(tmp_path / "journal"))
    process = multiprocessing.get_context("fork").Process(target=end_by_signal)
    process.start()
    workers.tell(journal)
    process.join(PATIENCE)
    assert process not in workers.children()
    workers.tell_exits(journal)
    workers.tell_exits(journal)
    events = [json.loads(line) for line in (tmp_path / "journal").read_text().splitlines()]
    told = [
        (event["pid_of_worker"], event["code"])
        for event in events
        if event["event"] == "worker-exit"
    ]
    assert told == [(process.pid, -signal.SIGKILL)]
