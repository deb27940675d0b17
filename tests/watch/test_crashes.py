"""The stacks of a watched process that crashes, and what is said of them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from envdoctor.model.finding import Finding, Location
from envdoctor.model.training import Training, TrainingProcess
from envdoctor.model.training_instances import Calls, Instances
from envdoctor.rules.evidence.training import watched_view
from envdoctor.rules.training.trn004_process_died import process_died
from envdoctor.watch.crashes import crash_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="watch needs Linux")

SCRIPT = """
import faulthandler, os, sys
from types import SimpleNamespace
from envdoctor.probe.live import crashes

hook = SimpleNamespace(folder=sys.argv[1], after_fork=[])
os.register_at_fork(after_in_child=lambda: [each() for each in hook.after_fork])

def crash():
    os.abort()

{body}
"""


def crashed(folder: Path, body: str) -> tuple[int, str]:
    """The number of a process that aborted, and what it wrote on stderr."""
    words = [sys.executable, "-c", SCRIPT.format(body=body), folder]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
        _, text = process.communicate(timeout=60)
    return process.pid, text


def test_line_that_crashes_is_written_for_each_process(tmp_path: Path) -> None:
    body = "crashes.follow(hook)\nif os.fork():\n    os.wait()\ncrash()"
    pid, _ = crashed(tmp_path, body)
    assert len(list(tmp_path.iterdir())) == 2
    for number in (int(file.stem) for file in tmp_path.iterdir()):
        lines = crash_of(tmp_path, number).splitlines()
        assert lines[0].startswith("Current thread")
        assert [line.split()[-1] for line in lines[1:]] == ["crash", "<module>"]
    assert crash_of(tmp_path, pid)
    assert crash_of(tmp_path, 1) == ""


def test_handler_of_the_user_stays(tmp_path: Path) -> None:
    _, text = crashed(tmp_path, "faulthandler.enable()\ncrashes.follow(hook)\ncrash()")
    assert "in crash" in text
    assert list(tmp_path.iterdir()) == []


def test_descriptor_that_the_script_reuses_is_left_alone(tmp_path: Path) -> None:
    body = f"""
crashes.follow(hook)
os.closerange(3, 256)
log = os.open({str(tmp_path / "log")!r}, os.O_WRONLY | os.O_CREAT)
os.dup2(log, {100})
if not os.fork():
    os.write(100, b"1")
    os._exit(0)
os.wait()
"""
    crashed(tmp_path, body)
    assert (tmp_path / "log").read_text() == "1"


def _finding(crash: str, came_back: int = 2) -> Finding:
    trainer = TrainingProcess(1, code=-6, ended=9.0, crash=crash)
    arm = Instances(1, 1, "arm.Arm", Location("/train.py", 14), step=Calls(3, came_back))
    (finding,) = process_died.judge(watched_view(Training((), 1, -6, 9.0, (trainer,), (arm,))))
    return finding


def _thread(head: str, *lines: str) -> str:
    return "\n".join(
        [f"{head} 0x01 (most recent call first):", *(f"  File {x}" for x in lines), ""]
    )


DRAWS = _thread("Current thread", '"/gl.py", line 18 in draw', '"/arm.py", line 64 in step')
BESIDE = _thread("Thread", '"/gl.py", line 20 in draw', '"/arm.py", line 64 in step')
LOGS = _thread("Thread", '"/log.py", line 9 in step', f'"{os.__file__}", line 5 in run')


def test_line_of_a_crash_is_named() -> None:
    finding = _finding(DRAWS)
    assert "killed by SIGABRT (gl.py:18 in draw) in step() of Arm, after 3 steps" in str(finding)
    assert finding.location == Location("/gl.py", 18, "draw")
    assert finding.remedy.text.startswith("find out what Arm does there")


def test_other_thread_in_the_same_call_is_named() -> None:
    finding = _finding(BESIDE + DRAWS)
    assert "after 3 steps, while another thread was in step(), too" in str(finding)
    assert finding.remedy.text.startswith("let one thread at a time call what crashed there")


def test_other_thread_in_something_else_is_not_named() -> None:
    assert "another thread" not in str(_finding(LOGS + DRAWS))


def test_crash_of_the_trainers_own_code_needs_no_other_run() -> None:
    crash = _thread("Current thread", '"/train.py", line 30 in learn')
    finding = _finding(crash, 3)
    assert "outside of any call of an environment" in str(finding)
    assert "faulthandler" not in finding.remedy.text


def test_instance_that_was_made_before_the_fork_is_to_be_made_in_the_worker() -> None:
    arm = Instances(
        2, 1, "arm.Arm", Location("/train.py", 90), number=0, inherited=1, reset=Calls(1, 0)
    )
    workers = (TrainingProcess(1, code=1, ended=9.0), TrainingProcess(2, 1, code=-11, ended=1.0))
    (finding,) = process_died.judge(watched_view(Training((), 1, 1, 9.0, workers, (arm,))))
    assert "in reset() of Arm, which was made at train.py:90 before the fork" in str(finding)
    assert finding.remedy.text.startswith("make each Arm in its worker")
