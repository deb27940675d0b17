"""Leftovers of a dead probe are waited for by their end, and not by looking again and again."""

from __future__ import annotations

import mmap
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from envdoctor.run.supervise import _linux, _linux_waits, cleanup_watchdog, guard, leftovers
from envdoctor.run.supervise.limits import Limits
from envdoctor.run.supervise.machine import machine
from envdoctor.run.supervise.owner import ALIVE, Owner, owner_of, read_mark, write_mark

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="the kernel tells only on Linux"
)

PATIENCE = 60.0  # seconds


@contextmanager
def running(*words: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process, which is ended afterwards."""
    with subprocess.Popen(words, stdin=subprocess.PIPE) as program:
        try:
            yield program
        finally:
            program.kill()


def waited(program: subprocess.Popen[bytes], at_look: Any = lambda number: None) -> tuple[int, Any]:
    """Return the number of looks, and the leftovers."""
    looks = []

    def others() -> list[int]:
        looks.append(program.pid)
        at_look(len(looks))
        return [program.pid]

    left = leftovers.wait_for_others(SimpleNamespace(others=others), Limits(settle=PATIENCE))  # type: ignore[arg-type]
    return len(looks), left


@pytest.mark.parametrize(
    "line", ["sleep 600", "{python} -c 'import time; time.sleep(600)'", "{python} -c '{locked}'"]
)
def test_process_that_sleeps_for_longer_is_not_waited_for(line: str) -> None:
    locked = "import threading; threading.Event().wait()"
    words = line.format(python=sys.executable, locked=locked)
    with running("bash", "-c", f"exec {words}") as program:
        end = time.monotonic() + PATIENCE
        while not leftovers.sleeps(program.pid, PATIENCE) and time.monotonic() < end:
            assert program.poll() is None
        looks, left = waited(program)
    assert looks == 1
    assert list(left) == [str(program.pid)]


def test_resource_tracker_that_ends_between_two_looks_is_not_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A process that was not waited for is listed by its name: it would be "python"."""
    line = "import sys; sys.stdin.read()  # from multiprocessing.resource_tracker import main"

    def ends(pid: int) -> str:
        text = describe(pid)
        os.kill(pid, signal.SIGKILL)
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        return text

    for name in ("sleeps", "machine"):  # at either moment
        with monkeypatch.context() as patched, running(sys.executable, "-c", line) as program:
            _wait_for_command(program.pid, "resource_tracker")
            describe = machine.describe
            if name == "sleeps":
                patched.setattr(leftovers, "sleeps", lambda pid, _: bool(ends(pid)))
            else:
                patched.setattr(machine, "describe", ends)
            assert waited(program)[1] == {}


def _wait_for_command(pid: int, word: str) -> None:
    end = time.monotonic() + PATIENCE
    while word not in machine.describe(pid):
        assert time.monotonic() < end


def test_process_that_ends_is_not_left() -> None:
    """It reads until its pipe is closed, as what notices the end of its parent does."""

    def close(number: int) -> None:
        if number == 2 and program.stdin is not None:
            program.stdin.close()

    with running("cat") as program:
        _, left = waited(program, close)
        assert left == {}
        assert not machine.is_running(program.pid)


def test_process_that_ends_while_it_is_looked_at_does_not_sleep(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """On a busy machine it ends between two looks: nothing is left of it that could sleep."""
    states = iter(["State:\tS (sleeping)\n", "State:\tZ (zombie)\n", "State:\tZ (zombie)\n"])

    def read(path: str) -> str:
        return next(states) if path.endswith("/status") else ""

    monkeypatch.setattr(_linux_waits.proc, "read", read)
    assert _linux_waits.wakes_at((1,), 1, 0.0) is None


def test_memory_with_two_names_is_known_by_both(named_memory: Path) -> None:
    """As a semaphore that is being made, which is linked to its name before the other is removed."""
    other = named_memory.with_name(f"{named_memory.name}-2")
    os.link(named_memory, other)
    try:
        with named_memory.open("r+b") as file, mmap.mmap(file.fileno(), 1):
            file.close()
            held = _linux.shared_memory_of([os.getpid()])
    finally:
        other.unlink()
    assert {str(named_memory), str(other)} <= held


def test_stopped_process_goes_on_until_it_has_noticed() -> None:
    with running("cat") as program:
        assert guard.goes_on(program.pid)
        guard.kill(program.pid, guard.SIGSTOP)
        end = time.monotonic() + PATIENCE
        while guard.goes_on(program.pid) and time.monotonic() < end:
            time.sleep(0.001)
        assert not guard.goes_on(program.pid)
    assert not guard.goes_on(program.pid)


def test_stopped_process_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = iter([True, True, False])
    monkeypatch.setattr(guard, "goes_on", lambda pid: next(looks))
    with running("cat") as program:
        monkeypatch.setattr(guard, "below", lambda *_: [program.pid])
        assert guard.freeze(guard.NOBODY, guard.NOBODY, "") == {program.pid}
    assert list(looks) == []


@pytest.mark.parametrize("is_before", [False, True], ids=["new", "there before"])
def test_memory_that_the_doctor_wrote_down_is_removed_after_its_death(
    tmp_path: Path, named_memory: Path, is_before: bool
) -> None:
    """It was killed while its guard ended the probe, which had been told to: nobody else knew."""
    memory = leftovers.SharedMemory({str(named_memory)} if is_before else ())
    memory.add([str(named_memory)])
    cleanup_watchdog.remove_shared_memory(str(tmp_path))
    assert named_memory.exists(), "it is not known what was there before"
    if is_before:
        cleanup_watchdog.write_before(str(tmp_path))
    else:
        (tmp_path / cleanup_watchdog.BEFORE).touch()
    memory.write(tmp_path)
    cleanup_watchdog.remove_shared_memory(str(tmp_path))
    assert named_memory.exists() == is_before


HOLDER = """
import mmap, sys
with open(sys.argv[1], "r+b") as file:
    held = mmap.mmap(file.fileno(), 1)
print("held", flush=True)
sys.stdin.read()
"""


def test_process_that_lost_its_guard_is_ended_and_its_memory_removed(
    tmp_path: Path, named_memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cleanup_watchdog, "GUARDS_SECONDS", 0.0)
    directory = tmp_path / "run"
    directory.mkdir()
    (directory / cleanup_watchdog.BEFORE).touch()
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(named_memory)],
        env={**os.environ, "ENVDOCTOR_STACKS": f"{directory}/stacks"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        cleanup_watchdog.bury(str(directory))
        assert holder.wait(PATIENCE) == -signal.SIGKILL
    assert not directory.exists()
    assert not named_memory.exists()


@pytest.fixture
def named_memory() -> Iterator[Path]:
    """A file of one byte in /dev/shm."""
    path = Path(f"/dev/shm/envdoctor-test-{os.getpid()}-{secrets.token_hex(4)}")
    path.write_bytes(b"1")
    yield path
    path.unlink(missing_ok=True)


@pytest.mark.parametrize("also_runs", [False, True])
def test_watchdog_reads_of_a_mark_what_its_module_reads(tmp_path: Path, also_runs: bool) -> None:
    here = owner_of(os.getpid())
    others = [owner_of(os.getppid())] if also_runs else []
    with subprocess.Popen(["sleep", "600"]) as program:
        ended = owner_of(program.pid)
        program.kill()
        os.waitid(os.P_PID, program.pid, os.WEXITED | os.WNOWAIT)  # a zombie
        write_mark(str(tmp_path), [ended, *others])
        assert cleanup_watchdog.has_owner(str(tmp_path / "owner")) is also_runs
    marks = ([here], [ended], [ended, *others], [Owner(**{**vars(here), "start": "1"}), *others])
    for owners in marks:
        write_mark(str(tmp_path), owners)
        read = read_mark(str(tmp_path / cleanup_watchdog.OWNERS)) or []
        lives = any(owner.state == ALIVE for owner in read)
        assert cleanup_watchdog.has_owner(str(tmp_path / cleanup_watchdog.OWNERS)) is lives


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '[{"pid": "x", "start": ""}]', "\0" * 9])
def test_mark_that_names_no_process_has_no_owner(tmp_path: Path, text: str) -> None:
    (tmp_path / "owner").write_text(text)
    assert not cleanup_watchdog.has_owner(str(tmp_path / "owner"))
    assert not cleanup_watchdog.has_owner(str(tmp_path / "missing"))


def test_run_that_goes_on_is_left_alone_without_a_library(tmp_path: Path) -> None:
    (tmp_path / "envdoctor-other").mkdir()
    write_mark(str(tmp_path / "envdoctor-other"), [owner_of(os.getpid())])
    program = (
        "import sys; sys.path.insert(0, sys.argv[2]); import cleanup_watchdog as watchdog;"
        " watchdog.remove_abandoned(sys.argv[1]); print(*sys.modules)"
    )
    words = (str(tmp_path / "envdoctor-own"), str(Path(cleanup_watchdog.__file__).parent))
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program, *words],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    assert not {"json", "dataclasses", "envdoctor"}.intersection(done.stdout.split())
    assert (tmp_path / "envdoctor-other").exists()
