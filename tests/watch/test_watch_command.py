"""`envdoctor watch`, the installed command: the run stays the user's, and the report is made."""

from __future__ import annotations

import ctypes
import functools
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from envdoctor.watch.command import with_program
from tests.support.waiting import until
from tests.support.zoo import COMMAND

pytestmark = pytest.mark.waits

LIBRARY = Path(__file__).parent / "library"
DOCS = Path(__file__).parents[2] / "docs"
PATIENCE = 600  # seconds
SET_CHILD_SUBREAPER = 36  # of prctl()


def variables() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(LIBRARY), "PYTHONDONTWRITEBYTECODE": "1"}


def watch(*words: str, code: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Watch a Python that runs some code."""
    return subprocess.run(
        [str(COMMAND), "watch", *words, "--", sys.executable, "-c", code],
        env=variables(),
        input=stdin,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def started(folder: Path, code: str, *more: str, **options) -> subprocess.Popen[bytes]:
    """A watched Python, once it has written the file `ready` of a folder."""
    output = ("--output", str(folder / "report"))
    words = ["watch", *output, *more, "--", sys.executable, "-c", code]
    doctor = subprocess.Popen([str(COMMAND), *words], env=variables(), cwd=folder, **options)
    assert until((folder / "ready").exists)
    return doctor


def test_streams_and_exit_code_are_the_commands(tmp_path: Path) -> None:
    report = tmp_path / "report"
    code = "import sys; print(sys.stdin.read()); print('e', file=sys.stderr); sys.exit(7)"
    done = watch("--output", str(report), code=code, stdin="words")
    assert (done.stdout, done.stderr, done.returncode) == ("words\n", "e\n", 7)
    assert "it ended with exit code 7" in " ".join(report.read_text().split())


def test_the_report_goes_to_stderr_and_a_line_now_and_then(tmp_path: Path) -> None:
    go = tmp_path / "go"
    code = (
        "import arms, pathlib, time; arms.play(1, 3)\n"
        f"while not pathlib.Path({str(go)!r}).exists(): time.sleep(0.02)\n"
        "print('out')"
    )
    words = [str(COMMAND), "watch", "--every", "0.3", "--", sys.executable, "-c", code]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, env=variables(), stdout=pipe, stderr=pipe, text=True) as doctor:
        assert doctor.stderr is not None
        bound = threading.Timer(PATIENCE, go.touch)
        bound.start()
        try:
            line = next(line for line in doctor.stderr if "3 steps" in line)
            go.touch()
            out, report = doctor.communicate(timeout=PATIENCE)
        finally:
            bound.cancel()
            go.touch()
            doctor.terminate()
    assert "3 steps, 1 reset, 1 instance made" in line
    assert out == "out\n"
    assert "1 instance made, in 1 process: 1 reset, 3 steps." in " ".join(report.split())
    assert doctor.returncode == 0


@pytest.mark.always
@pytest.mark.parametrize(("words", "code"), [((), 0), (("--fail-on", "warning"), 1)])
def test_findings_change_the_exit_code_only_where_it_was_asked(words, code) -> None:
    done = watch(*words, code="import arms; arms.play(3, 1, close=False)")
    assert "instance-not-closed" in done.stderr
    assert done.returncode == code


def test_a_saved_run_says_the_same(tmp_path: Path) -> None:
    run, first = tmp_path / "run.jsonl", tmp_path / "report.json"
    words = ("--save", str(run), "--report", f"json={first}", "--report")
    watch(
        *words, f"html={tmp_path / 'page.html'}", code="import arms; arms.play(3, 1, close=False)"
    )
    again = subprocess.run(
        [str(COMMAND), "report", str(run), "--format", "json"],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    before, after = json.loads(first.read_text()), json.loads(again.stdout)
    for key in ("findings", "passed", "skipped", "subjects", "scenarios"):
        assert after[key] == before[key]
    assert "TRN" in (tmp_path / "page.html").read_text()


def test_the_page_shows_what_its_example_gives() -> None:
    done = subprocess.run(
        [str(COMMAND), "watch", "--", sys.executable, "train_cartpole.py"],
        cwd=DOCS / "examples",
        env={**os.environ, "COLUMNS": "80"},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.stdout == "trained\n"
    shown = (DOCS / "watch.md").read_text()
    told = done.stderr.partition("warning TRN001")[2].partition("checks:")[0]
    assert told
    assert told in shown


def test_program_that_does_not_exist_is_reported() -> None:
    done = subprocess.run(
        [str(COMMAND), "watch", "--", "no-such-program"],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 2
    assert (
        done.stderr == "envdoctor: no-such-program cannot be started: the program does not exist\n"
    )


WAITING = """
import signal, sys, time, pathlib
signal.signal(signal.SIGTERM, lambda *_: sys.exit(5))
pathlib.Path('ready').touch()
time.sleep(60)
"""


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 5), (signal.SIGINT, 130)])
def test_signals_are_handed_on(tmp_path: Path, number: int, code: int) -> None:
    doctor = started(tmp_path, WAITING, stderr=subprocess.DEVNULL)
    doctor.send_signal(number)
    assert doctor.wait(PATIENCE) == code
    assert (tmp_path / "report").exists()


GOING_ON = """
import arms, pathlib, sys, time
env = arms.Arm(); env.reset()
pathlib.Path('ready').touch()
while not pathlib.Path('go').exists():
    time.sleep(0.02)
for _ in range(5):
    env.step(0)
arms.play(2, 1)
pathlib.Path('done').write_text(str(arms.COUNTS['steps']))
"""


def top(*words: str) -> subprocess.CompletedProcess[str]:
    return command("top", *words)


def command(*words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(COMMAND), *words],
        cwd=cwd,
        env={**os.environ, "COLUMNS": "100"},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def test_top_shows_a_run_and_disturbs_nothing(tmp_path: Path) -> None:
    doctor = started(tmp_path, GOING_ON, stderr=subprocess.DEVNULL)
    shown = top(str(doctor.pid))
    assert "1 instance made, 1 open; 1 reset, 0 steps" in shown.stdout, shown.stderr
    assert "trainer" in shown.stdout
    (tmp_path / "go").touch()
    assert doctor.wait(PATIENCE) == 0
    assert (tmp_path / "done").read_text() == "7"
    gone = top(str(doctor.pid))
    assert gone.returncode == 2
    assert f"{doctor.pid} is not watched" in gone.stderr


def test_top_shows_a_saved_run(tmp_path: Path) -> None:
    run = tmp_path / "run.jsonl"
    watch("--save", str(run), code="import arms; arms.play(3, 2, close=False)")
    assert "3 instances made, 0 open, 3 freed without a close(); 3 resets" in top(str(run)).stdout


@pytest.fixture
def adopting() -> Iterator[None]:
    """Orphans of this process are its children meanwhile: a training whose doctor was killed."""
    adopt = functools.partial(ctypes.CDLL(None).prctl, SET_CHILD_SUBREAPER)
    assert not adopt(1, 0, 0, 0)
    yield
    assert not adopt(0, 0, 0, 0)


DYING = """
import arms, os
pid = os.fork()
if not pid:
    env = arms.Arm(); env.reset(); env.step(0); env.step(8)
os.waitpid(pid, 0)
"""


def test_a_worker_that_dies_at_once_is_reported() -> None:
    assert "TRN004" in watch(code=DYING).stderr


@pytest.mark.always
@pytest.mark.usefixtures("adopting")
def test_the_training_survives_a_doctor_that_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs, run = tempfile.mkdtemp(prefix="w", dir=tmp_path), tmp_path / "run.jsonl"
    monkeypatch.setenv("TMPDIR", theirs)
    code = f"{GOING_ON}sys.exit(7)"
    doctor = started(tmp_path, code, "--save", str(run), stderr=subprocess.DEVNULL)
    assert until(lambda: re.search(rb'"line":"trace".*\n', run.read_bytes()))  # a whole line
    (training,) = children(doctor.pid)
    doctor.kill()
    doctor.wait(PATIENCE)
    assert "1 instance made, 1 open; 1 reset, 0 steps" in top(str(training)).stdout
    told = " ".join(command("report", str(run)).stdout.split())
    assert "1 instance made, in 1 process: 1 reset, 0 steps." in told
    assert "it was still running" in told
    assert "TRN001" not in told
    (tmp_path / "go").touch()
    assert until(lambda: (tmp_path / "done").exists() and (tmp_path / "done").read_text() == "7")
    _, status = os.waitpid(training, 0)
    assert os.waitstatus_to_exitcode(status) == 7
    assert until(lambda: not os.listdir(theirs))  # nothing of ours stays


def children(pid: int) -> list[int]:
    """Those that run the training's code."""
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [
        int(one) for one in found if b"import arms" in Path(f"/proc/{one}/cmdline").read_bytes()
    ]


def test_file_of_python_alone_is_run_by_python(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("import sys; print(sys.argv)", encoding="ascii")
    words = [str(COMMAND), "watch", "--output", str(tmp_path / "report"), "train.py", "7"]
    done = subprocess.run(
        words, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert (done.stdout, done.returncode) == ("['train.py', '7']\n", 0)


def test_file_that_is_not_there_gets_the_nearest_name(tmp_path: Path) -> None:
    (tmp_path / "train.py").touch()
    words = [str(COMMAND), "watch", "trian.py"]
    done = subprocess.run(
        words, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 2
    assert done.stderr.endswith("the program does not exist; did you mean train.py?\n")


@pytest.mark.parametrize(
    ("command", "runs"),
    [
        ("train.py --seed 1", "python train.py --seed 1"),
        ("./train.py", "./train.py"),
        ("plain.py", "python plain.py"),
        ("missing.py", "missing.py"),
        ("python train.py", "python train.py"),
    ],
)
def test_program_is_added_to_a_file_that_is_none(
    command: str, runs: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, mode in (("train.py", 0o755), ("plain.py", 0o644)):
        (tmp_path / name).touch()
        (tmp_path / name).chmod(mode)
    words = with_program(tuple(command.split()), tmp_path)
    assert words == tuple(runs.split())
