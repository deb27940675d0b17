"""Processes that another one ends: what a watched training journals of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from envdoctor.watch.pages import JournalFile, PageReport

SCRIPT = """
import multiprocessing, sys, time
from multiprocessing import process
from envdoctor.probe.live import terminations
from envdoctor.probe.live.boot import Hook

busy = multiprocessing.get_context("fork").Event()

def work():
    busy.set()
    time.sleep(60)

def ends_a_pool():
    with multiprocessing.Pool(1) as pool:
        pool.apply_async(work)
        busy.wait()

def ends_a_process():
    worker = multiprocessing.Process(target=work)
    worker.start()
    busy.wait()
    worker.terminate()
    worker.join()

if __name__ == "__main__":
    multiprocessing.set_start_method("fork")
    terminations.follow(Hook(sys.argv[1], "", {}), process)
    globals()[sys.argv[2]]()
"""


@pytest.mark.parametrize(("how", "by_pool"), [("ends_a_pool", True), ("ends_a_process", False)])
def test_pool_that_ends_its_workers_is_told_apart(tmp_path: Path, how: str, by_pool: bool) -> None:
    script = tmp_path / "train.py"
    script.write_text(SCRIPT)
    (tmp_path / "watch.jsonl").touch()
    subprocess.run([sys.executable, str(script), str(tmp_path), how], check=True, timeout=60)
    report = PageReport()
    journal = JournalFile(tmp_path)
    report.take(journal.read())
    journal.close()
    assert [(each.pool, each.signal) for each in report.asked.values()] == [(by_pool, 15)]
