"""Whatever an environment does, and however the run ends: no process, no file and no shared
memory of it is left.
"""

from __future__ import annotations

import _multiprocessing
import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.support import shared_memory
from tests.support.waiting import until
from tests.support.zoo import COMMAND, ENVS, PATIENCE

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="looks into /proc and /dev/shm"
)

MARK = "HOSTILE_TEST"  # inherited by everything that a run starts
# In the command line of what a hostile environment leaves: longer than any run takes, or it would be
# gone by itself.
SLEEPER = "import time; time.sleep(900)"

#: Each with the codes that tell what it does, where there is one for that.
# What each reset() leaves is more than what close() forgets: both are told.
HOSTILE = {
    "CloseHangs": {"CLS004"},
    "LeavesDaemon": {"CLS008", "LEK007"},
    "LeavesNamelessDaemon": {"CLS008", "LEK007"},
    "LeavesSharedMemory": {"CLS011", "LEK009"},
    "ForgetsSharedMemory": {"CLS011", "LEK009"},
    "LeavesSharedMemoryInCrash": {"PRC003"},
    "LeavesFiles": {"CLS010", "LEK008"},
    "Segfaults": {"PRC003"},
    "Exits": {"PRC003"},
    "ClosesEveryDescriptor": set(),
    "Chatters": set(),
    "KillsItsParent": {"DOC002"},
    "KillsItsParentWithDaemon": {"DOC002"},
}


@dataclass
class Place:
    """A temporary directory, a mark and the list of shared memory, before a run."""

    directory: Path
    mark: str
    memory: frozenset[str]
    sleepers: frozenset[int]

    @property
    def tmp(self) -> Path:
        return self.directory / "t"

    @property
    def ready(self) -> Path:
        return self.directory / "ready"

    def start(self, name: str, *options: str) -> subprocess.Popen[str]:
        """`envdoctor check` of a hostile environment, in a process group that no Ctrl-C of ours
        reaches.
        """
        environment = {
            **os.environ,
            "TMPDIR": str(self.tmp),
            MARK: self.mark,
            "READY": str(self.ready),
        }
        words = [str(COMMAND), "check", f"hostile.py:{name}", *options, "--format", "json"]
        return subprocess.Popen(
            words,
            cwd=ENVS,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def processes(self) -> list[str]:
        """Return the running processes that carry the mark, or that only a hostile environment
        starts.
        """
        found = []
        for process in psutil.process_iter(["pid", "cmdline", "environ"]):
            command = " ".join(process.info["cmdline"] or ())
            marked = (process.info["environ"] or {}).get(MARK) == self.mark
            nameless = (
                process.pid not in self.sleepers
                and SLEEPER in command
                and not process.info["environ"]
            )
            if marked or nameless:
                found.append(f"{process.pid} {command}")
        return found

    def assert_nothing_left(self) -> None:
        assert until(lambda: not self.processes()), self.processes()
        assert until(lambda: not os.listdir(self.tmp)), sorted(
            str(path) for path in self.tmp.rglob("*")
        )
        # What the run left was there when its last process was gone; what comes later is of a test
        # beside this one.
        left = shared_memory.forgotten(self.memory)
        assert until(lambda: not left & shared_memory.forgotten(self.memory)), left


@pytest.fixture
def place() -> Iterator[Place]:
    """Short, because sockets are made in it, whose paths may have 107 characters."""
    directory = Path(tempfile.mkdtemp(prefix="h"))
    (directory / "t").mkdir()
    sleepers = {
        process.pid
        for process in psutil.process_iter(["cmdline"])
        if SLEEPER in " ".join(process.info["cmdline"] or ())
    }
    yield Place(directory, secrets.token_hex(8), shared_memory.names(), frozenset(sleepers))
    shutil.rmtree(directory, ignore_errors=True)


def finish(process: subprocess.Popen[str]) -> tuple[int, dict[str, Any]]:
    """(exit code, the one JSON document on stdout); what it says on stderr must be no traceback."""
    with process:
        try:
            stdout, stderr = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    assert "Traceback" not in stderr, stderr
    return process.returncode, json.loads(stdout)


ENDS_THE_PROCESS = "() ends the process, so the scenario"


@pytest.mark.everything(but=["KillsItsParentWithDaemon"])
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_environment(place: Place, name: str) -> None:
    exit_code, document = finish(
        place.start(name, "--timeout", "2" if name == "CloseHangs" else "30")
    )
    codes = {finding["code"] for finding in document["findings"] if finding["severity"] != "note"}
    assert codes == HOSTILE[name], document["findings"]
    assert exit_code == any(finding["severity"] == "error" for finding in document["findings"])
    # The run went on to its end, or says why not.
    played = {scenario["name"] for scenario in document["scenarios"]}
    reasons = [one["reason"] for one in document["skipped"]]
    assert "abandoned" in played or any(ENDS_THE_PROCESS in reason for reason in reasons)
    place.assert_nothing_left()


ENDINGS = {"Ctrl-C": signal.SIGINT, "terminate": signal.SIGTERM, "hang up": signal.SIGHUP}


@pytest.mark.everything(but=["2-terminate"])
@pytest.mark.parametrize("number", ENDINGS.values(), ids=ENDINGS)
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_run_that_is_asked_to_end_reports_its_findings(
    place: Place, number: int, jobs: int
) -> None:
    process = place.start("StepHangs", "--jobs", str(jobs))
    assert until(place.ready.exists)
    process.send_signal(number)
    exit_code, document = finish(process)
    assert exit_code == 130
    assert document["summary"]["interrupted"] is True
    assert [(scenario["name"], scenario["outcome"]) for scenario in document["scenarios"]] == [
        ("survey", "finished"),
        ("life", "interrupted"),
    ]
    assert document["scenarios"][-1]["verb"] == "step:20"
    assert document["subjects"][0]["env_class"] == "hostile.StepHangs"
    # That it was ended is not its fault.
    assert [finding for finding in document["findings"] if finding["severity"] != "note"] == []
    place.assert_nothing_left()


def test_second_interrupt_ends_without_waiting(place: Place) -> None:
    process = place.start("StubbornWorkersHang")
    assert until(place.ready.exists)
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGINT)
    with process:
        _, stderr = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "Traceback" not in stderr
    place.assert_nothing_left()


@pytest.mark.always
@pytest.mark.everything(but=["StubbornWorkersHang"])
@pytest.mark.parametrize("name", ["StepHangs", "StubbornWorkersHang"])
def test_killed_run(place: Place, name: str) -> None:
    process = place.start(name)
    assert until(place.ready.exists)
    process.kill()
    with process:
        process.communicate(timeout=PATIENCE)
    place.assert_nothing_left()


def test_requests_that_were_ignored_stay_ignored(place: Place) -> None:
    """nohup."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        process = place.start("StepHangs", "--timeout", "2")
    finally:
        signal.signal(signal.SIGHUP, before)
    assert until(place.ready.exists)
    process.send_signal(signal.SIGHUP)
    exit_code, document = finish(process)
    assert (exit_code, document["summary"]["interrupted"]) == (1, False)
    place.assert_nothing_left()


def test_open_shared_memory_is_not_listed_as_forgotten() -> None:
    """A semaphore stands in the list of what is mapped under the name that it was made with."""
    before, name = shared_memory.names(), f"envdoctor-test-{os.getpid()}"
    semaphore = _multiprocessing.SemLock(1, 1, 1, f"/{name}", False)
    block = shared_memory.SHARED / name
    block.touch()
    try:
        found = shared_memory.forgotten(before)
        assert {one for one in found if name in one} == {name}
    finally:
        block.unlink()
        _multiprocessing.sem_unlink(semaphore.name)
