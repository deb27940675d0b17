"""A few of the doctor's deaths; two hundred are `python -m tests.support.deaths_of_the_doctor`."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from envdoctor.run.supervise.run_directory import RunDirectory
from tests.support.deaths_of_the_doctor import MARK, SHARED, SPAWNING, WAYS, Death, Place, die, draw
from tests.support.zoo import COMMAND, ENVS, PATIENCE

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="looks into /proc and /dev/shm"
)

HELD = ("check", "mortal.py:HoldsSharedMemory")
FORGOTTEN = ("check", "mortal.py:ForgetsNamedMemory", "--managers", "direct")
HUNG = ("check", "hostile.py:StubbornWorkersHang", "--timeout", "20")


@pytest.mark.always
@pytest.mark.everything(but=["SIGTERM"])
@pytest.mark.parametrize("number", range(len(WAYS)), ids=WAYS)
def test_death(number: int) -> None:
    assert die(draw(number, seed=3), patience=PATIENCE).wrong == ()


@pytest.mark.everything(but=["0.7-mortal.py:HoldsSharedMemory"])
@pytest.mark.parametrize("words", [HELD, FORGOTTEN, HUNG, SPAWNING], ids=lambda words: words[1])
@pytest.mark.parametrize("moment", [0.0, 0.7, 1.3])
def test_a_killed_doctor_leaves_nothing(words: tuple[str, ...], moment: float) -> None:
    assert die(Death(0, "SIGKILL", words, moment, to_file=True), patience=PATIENCE).wrong == ()


@pytest.mark.everything(but=["1"])
@pytest.mark.parametrize("held", [1, 4])
def test_a_doctor_killed_while_workers_start_leaves_no_semaphore(tmp_path: Path, held: int) -> None:
    """As soon as so many are there, which is the moment in which their maker names none of them."""
    place = Place(tmp_path)
    process = subprocess.Popen(
        [str(COMMAND), *SPAWNING],
        cwd=ENVS,
        env=place.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + PATIENCE
    found: list[str] = []
    while len(found) < held and process.poll() is None and time.monotonic() < deadline:
        found = [one for one in place.left() if one.startswith("semaphore")]
    process.kill()
    process.wait()
    assert len(found) >= held, "it ended before"
    while (left := place.left()) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert left == []


def test_the_cleanup_watchdog_goes_last() -> None:
    """A batch system asks every process of a job to end."""
    run = RunDirectory()
    # It is there; whether it listens already shows only when it does not go.
    assert run._watchdog.pid
    deadline = time.monotonic() + PATIENCE
    status = Path(f"/proc/{run._watchdog.pid}/status")
    while (
        not re.search(r"^SigIgn:\s*\w*[4567cdef]\w{3}$", status.read_text(), re.MULTILINE)
        and time.monotonic() < deadline
    ):
        time.sleep(0.01)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        os.kill(run._watchdog.pid, number)
    assert run.path.is_dir()
    assert run._watchdog.poll() is None
    run.close()
    assert (run._watchdog.returncode, run.path.exists()) == (0, False)


def test_leftovers_of_a_death_are_listed(tmp_path: Path) -> None:
    """A death that leaves something is told: a process, a file, shared memory, half an output."""
    place = Place(tmp_path)
    assert place.left() == []
    place.output.with_name("half.tmp").write_text("")
    (place.tmp / "folder").mkdir()
    memory, semaphore = SHARED / f"{place.mark}-1", SHARED / f"sem.{place.mark}-1"
    memory.write_text("")
    semaphore.write_text("")
    try:
        marked = {**os.environ, MARK: place.mark}
        with subprocess.Popen(
            ["sh", "-c", "echo up; read word"],
            env=marked,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as sleeper:
            assert sleeper.stdout is not None
            # Before, /proc may not show its environment yet.
            assert sleeper.stdout.readline() == b"up\n"
            told = " ".join(place.left())
            sleeper.kill()
    finally:
        memory.unlink()
        semaphore.unlink()
    for word in ("process", "half.tmp", "folder", "memory", "semaphore"):
        assert word in told


@pytest.mark.everything(but=["300k"])
@pytest.mark.parametrize("size", ["64k", "300k", "1m"])
def test_a_full_temporary_directory_is_reported_in_a_sentence(size: str) -> None:
    """Of a small file system of its own, in a namespace where this user may mount one."""
    mounts = ["unshare", "--user", "--map-root-user", "--mount"]
    if (
        shutil.which("unshare") is None
        or subprocess.run([*mounts, "true"], check=False, capture_output=True).returncode
    ):
        pytest.skip("no namespaces here")
    with tempfile.TemporaryDirectory(prefix="d") as folder:
        script = f'mount -t tmpfs -o size={size} none "$TMPDIR" && cd "$1" && shift && exec "$@"'
        words = [
            *mounts,
            "sh",
            "-c",
            script,
            "sh",
            str(ENVS),
            str(COMMAND),
            "check",
            "hostile.py:Calm",
            "--timeout",
            "5",
        ]
        done = subprocess.run(
            words,
            env={**os.environ, "TMPDIR": folder},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
    assert "Traceback" not in done.stderr
    assert "bug" not in done.stderr, done.stderr
    assert done.returncode in (0, 1, 2, 4, 70), done.stderr
    assert done.returncode not in (0, 70) or "space" in done.stderr or size == "1m", (
        done.stdout[-600:] + done.stderr
    )


@pytest.mark.everything(but=["all"])
@pytest.mark.parametrize(
    "closing", [">&-", "2>&-", "<&- >&- 2>&-"], ids=["output", "errors", "all"]
)
def test_streams_that_are_closed_are_no_error(closing: str) -> None:
    words = [
        "sh",
        "-c",
        f'exec "$@" {closing}',
        "sh",
        str(COMMAND),
        "check",
        "hostile.py:Calm",
        "--managers",
        "direct",
        "--select",
        "CLS",
    ]
    done = subprocess.run(
        words, cwd=ENVS, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
