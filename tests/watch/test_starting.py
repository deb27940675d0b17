"""Pythons that start with ENVDOCTOR_WATCH in their environment."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from envdoctor.starting import program

PATIENCE = 600  # seconds
linux = pytest.mark.skipif(sys.platform != "linux", reason="watching needs Linux")

TRAIN = """
import os, sys, time
import gymnasium

env = gymnasium.make("CartPole-v1")
env.reset(seed=1)
for _ in range(5 + int(os.environ.get("RANK", 0))):
    env.step(0)
env.close()
print(os.getpid(), flush=True)
if "dies" in sys.argv:
    os.kill(os.getpid(), 15)
if "stays" in sys.argv:
    time.sleep(600)
sys.exit(3)
"""
#: As launchers of ranks do it: a Python that starts Pythons, under their names.
LAUNCHER = """
import os, subprocess, sys
ranks = [
    subprocess.Popen([sys.executable, "train.py"], env={**os.environ, "RANK": str(rank)})
    for rank in range(2)
]
print([rank.wait() for rank in ranks])
"""


@pytest.fixture
def scripts(tmp_path: Path) -> Path:
    (tmp_path / "train.py").write_text(TRAIN)
    (tmp_path / "torchrun").write_text(LAUNCHER)
    (tmp_path / "launcher.py").write_text(LAUNCHER)
    return tmp_path


def started(folder: Path, *words: str, **options: object) -> subprocess.Popen[str]:
    environment = {**os.environ, "ENVDOCTOR_WATCH": str(folder / "reports")}
    return subprocess.Popen(
        words, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, **options
    )  # type: ignore[call-overload, no-any-return]


def ended(folder: Path, *words: str, **options: object) -> tuple[int, str]:
    with started(folder, *words, **options) as running:
        said, _ = running.communicate(timeout=PATIENCE)
        return running.returncode, said


def steps(folder: Path) -> dict[str, int]:
    """The steps in each report."""
    counted = {}
    for path in (folder / "reports").glob("*.jsonl"):
        done = subprocess.run(
            [sys.executable, "-m", "envdoctor", "report", str(path), "--format", "json"],
            capture_output=True,
            check=False,
            timeout=PATIENCE,
        )
        (subject,) = json.loads(done.stdout)["subjects"]
        counted[path.name] = sum(each["step"]["ended"] for each in subject["training"]["instances"])
    return counted


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("train.py --epochs 3", "train"),
        ("-u -X dev -W error -m pkg.train torchrun", "pkg.train"),
        ("-c import/torchrun", "-c"),
        ("/usr/bin/torchrun train.py", "torchrun"),
        ("-", ""),
        ("", ""),
        ("-m", ""),
        ("-X", ""),
    ],
)
def test_program_of_a_command_line(line: str, name: str) -> None:
    assert program(line.split()) == name


@linux
def test_script_is_watched_as_if_it_were_not(scripts: Path) -> None:
    """Its descriptors, its output, its exit code."""
    read, write = os.pipe()
    with open(write, "w") as end, open(read) as beginning:
        end.write("given")
        end.flush()
        line = f"import os; print(os.read({read}, 5).decode())"
        code, said = ended(scripts, sys.executable, "-c", line, pass_fds=[beginning.fileno()])
    assert (code, said) == (0, "given\n")
    code, _ = ended(scripts, sys.executable, "train.py")
    assert code == 3
    assert sorted(steps(scripts).values()) == [0, 5]


@linux
def test_signal_that_ends_the_script_ends_the_process_that_a_launcher_knows(scripts: Path) -> None:
    code, _ = ended(scripts, sys.executable, "train.py", "dies")
    assert code == -signal.SIGTERM
    (report,) = (scripts / "reports").glob("*.txt")
    assert "signal 15" in report.read_text()


@linux
@pytest.mark.parametrize("kill", [os.kill, os.killpg])
def test_script_that_a_launcher_kills_is_reported_and_ends(
    kill: Callable[[int, int], None], scripts: Path
) -> None:
    words = sys.executable, "train.py", "stays"
    with started(scripts, *words, stdin=subprocess.DEVNULL, start_new_session=True) as running:
        assert running.stdout is not None
        pid = int(running.stdout.readline())
        assert pid != running.pid
        kill(running.pid, signal.SIGKILL)
        running.communicate(timeout=PATIENCE)  # all that write there have ended
    assert not os.path.exists(f"/proc/{pid}/exe")
    (report,) = scripts.glob("reports/*.txt")
    assert "signal 9" in report.read_text()
    assert list(steps(scripts).values()) == [5]


@linux
def test_ranks_of_a_launcher_have_their_own_reports(scripts: Path) -> None:
    assert ended(scripts, sys.executable, "torchrun")[0] == 0
    assert steps(scripts) == {"rank-0.jsonl": 5, "rank-1.jsonl": 6}


@pytest.mark.always
@linux
def test_children_of_a_script_are_in_its_report(scripts: Path) -> None:
    assert ended(scripts, sys.executable, "launcher.py")[0] == 0
    assert list(steps(scripts).values()) == [11]


@linux
def test_file_of_the_users_beside_the_path_does_not_stop_it(
    scripts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be called as our own journal is."""
    (scripts / "watch.jsonl").touch()
    monkeypatch.setenv("PYTHONPATH", str(scripts / "src"))
    ended(scripts, sys.executable, "train.py")
    assert list(steps(scripts).values()) == [5]


@linux
def test_folder_that_cannot_be_made_costs_the_report_alone(scripts: Path) -> None:
    (scripts / "reports").write_text("not a folder")
    with started(scripts, sys.executable, "train.py", stderr=subprocess.PIPE) as running:
        _, complaint = running.communicate(timeout=PATIENCE)
    assert running.returncode == 3
    assert complaint == f"envdoctor: {scripts / 'reports'} cannot take a report: File exists\n"


@linux
@pytest.mark.parametrize(
    "words",
    [
        ["-I", "-c", "pass"],
        ["-m", "envdoctor", "check", "gymnasium:CartPole-v1", "--select", "CLS001"],
        ["-I", "-c", "import envdoctor; envdoctor.check('CartPole-v1', select=['CLS001'])"],
    ],
)
def test_pythons_that_are_not_watched(words: list[str], scripts: Path) -> None:
    """Of the last two, neither are the probes."""
    assert ended(scripts, sys.executable, *words)[0] == 0
    assert not (scripts / "reports").exists()
