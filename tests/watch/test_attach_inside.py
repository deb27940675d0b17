"""`envdoctor attach` to a training of Python 3.14: it answers from within, and stays what it was."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from envdoctor.model.visiting import CONTAINERS, END, INSTANCES, PLACE, READING
from envdoctor.starting import JOURNAL
from envdoctor.watch.boot_folder import CODE, write_code
from envdoctor.watch.visits import SCRIPT
from tests.support.pythons import python_of
from tests.support.waiting import until
from tests.watch.test_watch_command import PATIENCE, command, variables

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="attach needs Linux")

#: It keeps what it sees, and says at its end what a training could see of a visitor.
KEEPS = """
import gymnasium, os, pathlib, sys, threading, time

class Arm(gymnasium.Env):
    def __init__(self):
        self.past = []
    def step(self, action):
        self.past.append([action])
        return 0, 0.0, False, False, {}

def descriptors():
    return len(os.listdir("/proc/self/fd"))

def main():
    env, others = gymnasium.Wrapper(Arm()), []
    pathlib.Path("ready").touch()
    while not pathlib.Path("enough").exists():
        env.step(0)
        if len(env.env.past) % 500 == 0:
            others.append(Arm())
        time.sleep(0.002)

before = descriptors()
main()
own = [name for name in (*sys.modules, *sys.path, *vars(Arm)) if "envdoctor" in name]
print(own, threading.active_count(), descriptors() - before, Arm.step.__name__)
"""
WAITS = """
import pathlib, sys
pathlib.Path("ready").touch()
sys.stdin.read()
print("woken")
"""


@pytest.fixture(scope="module")
def python() -> str:
    """A Python 3.14."""
    found = python_of("3.14")
    if found is None:
        pytest.skip("sys.remote_exec needs a Python 3.14: python3.14 on PATH, or one of pyenv's")
    return found


def attached(
    folder: Path, python: str, code: str, *words: str, seconds: str
) -> tuple[dict[str, Any], str, str]:
    """Return the doctor's report on a training, and the text that the training writes on both
    streams.
    """
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    line = [python, *words, "-c", code]
    with subprocess.Popen(line, cwd=folder, env=variables(), text=True, **pipes) as training:
        try:
            assert until((folder / "ready").exists)
            done = command("attach", str(training.pid), "--for", seconds, "--format", "json")
            (folder / "enough").touch()
            out, err = training.communicate(timeout=PATIENCE)
        finally:
            training.kill()
    assert done.returncode == 0, done.stderr
    return json.loads(done.stderr)["subjects"][0]["training"] | {"report": done.stderr}, out, err


def test_a_training_answers_and_sees_nothing_of_it(python: str, tmp_path: Path) -> None:
    seen, out, err = attached(tmp_path, python, KEEPS, seconds="35s")
    (arms,) = seen["alive"]
    assert arms["type"] == "__main__.Arm"
    assert 1 <= arms["first"] < arms["last"]
    assert seen["refused"] == []
    findings = json.loads(seen["report"])["findings"]
    held = [one["message"] for one in findings if one["code"] == "TRN009"]
    assert any("past (list of list, the environment's)" in one for one in held), seen["growth"]
    assert all(one["severity"] == "note" for one in findings)
    assert (out, err) == ("[] 1 0 step\n", "")


def test_one_that_runs_no_python_does_not_answer_and_is_not_disturbed(
    python: str, tmp_path: Path
) -> None:
    seen, out, err = attached(tmp_path, python, WAITS, seconds="4s")
    assert [one["reason"] for one in seen["refused"]] == [
        "it does not answer: its main thread runs no Python"
    ]
    assert seen["alive"] == []
    assert (out, err) == ("woken\n", "")


def test_one_that_refuses_is_said_to(python: str, tmp_path: Path) -> None:
    seen, out, err = attached(tmp_path, python, KEEPS, "-X", "disable-remote-debug", seconds="3s")
    (refused,) = seen["refused"]
    assert refused["reason"].startswith("sys.remote_exec: RuntimeError: Remote debugging is not")
    assert (out, err) == ("[] 1 0 step\n", "")


def test_any_python_would_answer(tmp_path: Path) -> None:
    """The script of a visit, without what puts it into another process."""
    known = {
        "place": PLACE,
        "folder": str(tmp_path),
        "code": str(tmp_path / CODE),
        "hook_modules": write_code(tmp_path),
    }
    scripts = [
        SCRIPT.format(**known, number=number, what=what)
        for number, what in enumerate((READING, INSTANCES, CONTAINERS, CONTAINERS, END), 1)
    ]
    code = (
        "import arms, gymnasium, sys\n"
        "before = sys.path[:]\n"
        "def main():\n"
        "    kept = [gymnasium.Wrapper(arms.LongArm())]\n"
        f"    for script in {scripts!r}:\n"
        "        exec(script, {})\n"
        "        kept += [arms.LongArm() for _ in range(40)]\n"
        "main(); print([name for name in sys.modules if 'envdoctor' in name], sys.path == before)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=variables(),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    assert (done.stdout, done.stderr) == ("[] True\n", "")
    events = [json.loads(one) for one in (tmp_path / JOURNAL).read_text().splitlines()]
    visits = [one for one in events if one["what"] == "visit"]
    assert [one["number"] for one in visits] == [1, 2, 3, 4, 5]
    assert [one.get("why") for one in visits] == [None] * 5
    assert all(one["blocks"] > 1000 for one in visits)
    assert [one.get("alive") for one in visits] == [
        None,
        *({"arms.LongArm": count} for count in (41, 81, 121, 161)),
    ]
    (holder,) = (one for one in events if one["what"] == "holder")
    assert (holder["chain"], holder["grew"]) == ("main() kept", 40)
    assert not list(tmp_path.glob("*.look"))
