"""Other systems than Linux, by doubles: nothing here was run on one."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from typer.testing import CliRunner

from envdoctor.cli import start
from envdoctor.cli.main import app
from envdoctor.rules.doctor.doc001_sensor_missing import sensor_missing
from envdoctor.rules.engine.examples import direct_view
from envdoctor.run.supervise import _darwin, _linux
from envdoctor.run.supervise.machine import machine


def functions(module: ModuleType) -> set[str]:
    return {
        name
        for name, value in vars(module).items()
        if callable(value) and not name.startswith("_") and not isinstance(value, type)
    }


def used() -> set[str]:
    """Return the names of the machine that the rest of the package uses."""
    files = Path(_linux.__file__).parents[1].rglob("*.py")
    return {
        name
        for file in files
        for name in re.findall(r"\bmachine\.(\w+)\(", file.read_text())
        if name != "machine"
    }


def test_each_system_answers_whatever_is_asked() -> None:
    assert used() - {"get"} <= functions(_linux) & functions(_darwin)
    assert machine is (_linux if sys.platform == "linux" else _darwin)


def test_sensors_missing_on_other_systems_are_reported() -> None:
    findings = list(
        sensor_missing.judge(direct_view(sensors={"descriptors": "", **_darwin.missing()}))
    )
    assert len(findings) == len(_darwin.missing()) > 3
    assert (
        findings[0].message
        == "shared memory of the dead cannot be measured here: only Linux lists it; what an"
        " environment leaves of it stays"
    )
    assert _linux.missing() == {} or not os.path.exists("/dev/shm")


def test_a_linux_without_proc_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "os.path.exists", lambda path: not str(path).startswith(("/proc", "/dev/shm"))
    )
    assert set(_linux.missing()) == {"processes", "shared memory of the dead"}


def test_macos_answers_do_no_harm() -> None:
    """psutil answers here, too; what it cannot tell is nothing, never a guess."""
    pipe = subprocess.PIPE
    with subprocess.Popen(["cat", "-"], stdin=pipe, stdout=pipe, start_new_session=True) as child:
        try:
            assert child.stdin is not None
            assert child.stdout is not None
            os.write(child.stdin.fileno(), b".")
            assert child.stdout.read(1) == b"."  # it has begun: its command line is there
            assert _darwin.describe(child.pid) == "cat -"
            assert _darwin.is_running(child.pid)
            assert _darwin.resident([child.pid, 1 << 30]) > 0
            assert _darwin.pulse([child.pid, 1 << 30]) == _darwin.pulse([child.pid])
            assert _darwin.catches(child.pid, 10)
            assert child.pid in _darwin.all_pids()
        finally:
            child.kill()
    assert (
        _darwin.describe(child.pid),
        _darwin.is_running(child.pid),
        _darwin.exit_code(child.pid),
    ) == ("", False, None)
    assert (
        _darwin.shared_memory(),
        _darwin.shared_memory_of([os.getpid()]),
        _darwin.oom_kills(),
    ) == ({}, set(), 0)
    assert _darwin.available_memory() > 0


SENSORS = """
import sys
sys.platform = "darwin"
from envdoctor.probe import sensors
from envdoctor.probe.sensors import Context
assert any("Linux" in reason for reason in sensors.available().values()), sensors.available()
home = sys.argv[1]
said = []
readings = sensors.Sensors(Context(home), lambda *words: said.append(words)).read_all()
assert not said, said
assert {name for name, reason in sensors.available().items() if not reason} == set(readings)
"""


def test_the_probes_sensors_work_or_say_why_not(tmp_path) -> None:
    """Each of them, in an interpreter that takes itself for one of macOS."""
    (tmp_path / "tmp").mkdir()
    (tmp_path / "stdout").touch()
    done = subprocess.run(
        [sys.executable, "-c", SENSORS, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("command", ["check", "leak"])
def test_windows_is_refused_in_a_sentence(monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.setattr("sys.platform", "win32")
    result = CliRunner().invoke(app, [command, "CartPole-v1"])
    assert (result.exit_code, result.stdout) == (2, "")
    assert (
        result.stderr
        == "envdoctor: Windows is not supported yet; install envdoctor in WSL (`wsl --install`) and"
        " examine your environment there\n"
    )
    assert start.head_start(None, [command, "CartPole-v1"]) is None


def test_rules_command_works_without_unix_signals() -> None:
    """Modules that only Unix has are imported by commands that need them."""
    code = "import signal; del signal.SIGHUP; from envdoctor.cli.main import app; app(['rules'])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=600, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert importlib.util.find_spec("envdoctor.run.supervise._windows")
