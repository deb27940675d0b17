"""The hook of `watch`, in Pythons of its own: it counts exactly, and cannot be seen."""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from envdoctor.model import page
from envdoctor.starting import JOURNAL
from envdoctor.watch.boot_folder import CODE, environment, write_boot
from envdoctor.watch.pages import NUMBER, JournalFile, PageReport, instances, read_pages
from tests.support.pythons import python_of
from tests.support.waiting import until

LIBRARY = Path(__file__).parent / "library"
PATIENCE = 600  # seconds
LIVE = "envdoctor/probe/live"
LOOKING = "looking.py"  # its functions run only where a look is asked for

#: What stands in the place of the user's own call: an error of its own would be one of that call.
CALLS = {"execute_and_arm", "call", "close", "reset"}

VERSIONS = ("3.8", "3.9", "3.10", "3.12", "3.13", "3.14")


def boot(folder: Path) -> dict[str, str]:
    """The variables of a process that the hook comes into."""
    write_boot(folder)
    return environment(folder, variables())


def variables() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(LIBRARY), "PYTHONDONTWRITEBYTECODE": "1"}


def run(script: str, *words: str, env: dict[str, str], python: str = sys.executable):
    done = subprocess.run(
        [python, str(LIBRARY / script), *words],
        env=env,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    return done.stdout, done.stderr, done.returncode


def counted(folder: Path) -> dict[int, dict[str, int]]:
    """Return the counts of the pages, by process."""
    told, journal = PageReport(), JournalFile(folder)
    told.take(journal.read())
    journal.close()
    found: dict[int, dict[str, int]] = {}
    for counts in read_pages(folder):
        for one in instances(counts, told):
            if one.number:
                assert one.type == "arms.LongArm"
                assert one.location is not None
                sums = found.setdefault(
                    counts.pid, dict.fromkeys(("made", "resets", "steps", "closed"), 0)
                )
                sums["made"] += one.made
                sums["resets"] += one.reset.ended
                sums["steps"] += one.step.ended
                sums["closed"] += one.closed
                assert one.again == one.raised == 0
                assert one.running == ""
    return found


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_counts_are_what_each_process_counts_itself(tmp_path: Path, method: str) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    out, err, code = run("processes.py", str(theirs), method, env=boot(tmp_path))
    assert (out, err, code) == ("", "", 0)
    expected = {int(file.stem): json.loads(file.read_text()) for file in theirs.glob("*.json")}
    assert len(expected) == 5
    assert counted(tmp_path) == expected


def test_a_script_sees_no_difference(tmp_path: Path) -> None:
    sees_no_difference(tmp_path, sys.executable)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_script_of_another_python_sees_none(tmp_path: Path, version: str) -> None:
    found = python_of(version)
    if found is None:
        pytest.skip(f"there is no Python {version} here")
    sees_no_difference(tmp_path, found)


def sees_no_difference(tmp_path: Path, python: str) -> None:
    expected = run("visible.py", env=variables(), python=python)
    assert expected[2] == 0, expected[1]
    assert run("visible.py", env=boot(tmp_path), python=python) == expected
    assert '"instance"' in (tmp_path / JOURNAL).read_text()
    assert '"failed"' not in (tmp_path / JOURNAL).read_text()


@cache
def functions() -> list[tuple[str, str]]:
    """(file, name) of each function of the hook."""
    return sorted(
        {
            (file.name, node.name)
            for file in (Path(__file__).parents[2] / LIVE).glob("*.py")
            for node in ast.walk(ast.parse(file.read_text()))
            if isinstance(node, ast.FunctionDef) and node.name not in CALLS
        }
    )


PLANTED = [(file, name) for file, name in functions() if file != LOOKING]
#: One function of each file. All of them in `make everything`.
PLANTED_FIRST = [f"{file}-{name}" for file, name in dict(reversed(PLANTED)).items()]


@pytest.mark.everything(but=PLANTED_FIRST)
@pytest.mark.parametrize(("file", "name"), PLANTED)
def test_an_error_of_the_hook_reaches_nobody(tmp_path: Path, file: str, name: str) -> None:
    env = boot(tmp_path)
    plant(tmp_path / CODE / LIVE / file, name)
    assert run("visible.py", env=env) == without_a_hook()


@cache
def without_a_hook() -> Any:
    """Result of the training without the hook."""
    return run("visible.py", env=variables())


ASKED = """
import arms, pathlib, time
class Lazy:  # as torch.distributed.reduce_op
    @property
    def __class__(self):
        print('asked')
        return Lazy
lazy = [Lazy()]
env = arms.LongArm()
while not pathlib.Path('enough').exists():
    env.reset(); env.step(0); time.sleep(0.01)
print('undisturbed')
"""


@pytest.mark.parametrize(
    ("due", "file", "function", "told"),
    [
        (page.AT_RESET, "", "", ""),
        (page.AT_ANY_CALL, "meters.py", "read", '"why":"LookupError"'),
        (page.LOOK, "", "", '"looked"'),
        *((page.LOOK, *one, "") for one in functions() if one[0] == LOOKING),
    ],
)
def test_requests_to_the_hook_are_answered_without_disturbance(
    tmp_path: Path, due: int, file: str, function: str, told: str
) -> None:
    env = boot(tmp_path)
    if file:
        plant(tmp_path / CODE / LIVE / file, function)
    asked = subprocess.Popen(
        [sys.executable, "-c", ASKED], env=env, cwd=tmp_path, stdout=subprocess.PIPE, text=True
    )
    try:
        assert until(lambda: any(one.made for one in read_pages(tmp_path)))
        (counts,) = read_pages(tmp_path)
        with (tmp_path / counts.name).open("r+b", buffering=0) as shared:
            shared.seek(page.DUE * NUMBER)
            shared.write(due.to_bytes(NUMBER, "little"))
        answer = told or ('"why":"LookupError"' if function == "look" else '"instance"')
        assert until(lambda: answer in (tmp_path / JOURNAL).read_text())
        assert until(lambda: read_pages(tmp_path)[0].head[page.DUE] == 0)
        if not file:
            assert until(lambda: read_pages(tmp_path)[0].head[page.READ] == 1)
            head = read_pages(tmp_path)[0].head
            assert head[page.AT_MADE] == head[page.AT_HELD] == 1
            assert head[page.AT_STEPS] <= head[page.AT_RESETS] + 1
            assert head[page.BLOCKS] > 1000
    finally:
        (tmp_path / "enough").touch()
        out = asked.communicate(timeout=PATIENCE)[0]
    assert (out, asked.returncode) == ("undisturbed\n", 0)


def plant(path: Path, name: str) -> None:
    """Let a function of the hook raise: at its first line, or where its own guard begins. Its
    bytecode, which is used unseen, goes.
    """
    Path(importlib.util.cache_from_source(str(path))).unlink()
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == name:
            guards = [each for each in node.body if isinstance(each, ast.Try) and is_guard(each)]
            body = guards[0].body if guards else node.body
            body.insert(0, ast.parse("raise LookupError('planted')").body[0])
    path.write_text(ast.unparse(ast.fix_missing_locations(tree)))


def is_guard(node: ast.Try) -> bool:
    """Return whether the statement lets no exception of its body out."""
    return any(
        isinstance(each.type, ast.Name) and each.type.id == "Exception" for each in node.handlers
    )


def test_exit_inside_a_call_shows_as_a_running_call(tmp_path: Path) -> None:
    code = "import arms; env = arms.Arm(); env.reset(); env.step(0); env.step(8)"
    done = subprocess.run(
        [sys.executable, "-c", code], env=boot(tmp_path), timeout=PATIENCE, check=False
    )
    assert done.returncode == 8
    (counts,) = read_pages(tmp_path)
    (arm,) = instances(counts, PageReport())
    assert (arm.running, arm.step.began, arm.step.ended) == ("step", 2, 1)


def test_many_instances_share_a_row_and_none_is_lost(tmp_path: Path) -> None:
    code = (
        "import arms\n"
        "for number in range(1800):\n"
        "    env = arms.Arm(); env.reset()\n"
        "    if number % 2: env.close()\n"
    )
    subprocess.run([sys.executable, "-c", code], env=boot(tmp_path), timeout=PATIENCE, check=True)
    (counts,) = read_pages(tmp_path)
    found = list(instances(counts, PageReport()))
    assert len(found) < 1800 == counts.made == sum(one.number for one in found)
    assert sum(one.reset.ended for one in found) == 1800
    assert sum(one.closed for one in found) == 900
    assert sum(one.dropped for one in found) == 900


def test_reset_opens_a_closed_instance_again(tmp_path: Path) -> None:
    code = (
        "import arms\n"
        "env = arms.Arm()\n"
        "for evaluation in range(3):\n"
        "    env.reset(); env.close()\n"
        "env.close()\n"
    )
    subprocess.run([sys.executable, "-c", code], env=boot(tmp_path), timeout=PATIENCE, check=True)
    (counts,) = read_pages(tmp_path)
    (arm,) = instances(counts, PageReport())
    assert (arm.close.ended, arm.closed, arm.again) == (4, 1, 1)


def test_a_class_of_a_script_travels_as_it_was(tmp_path: Path) -> None:
    """By value, as checkpoints do: it is loaded where nothing of ours is."""
    pytest.importorskip("cloudpickle")
    saved = tmp_path / "saved"
    code = (
        "import arms, cloudpickle\n"
        "class Own(arms.Arm):\n"
        "    def step(self, action):\n"
        "        return action\n"
        "env = Own(); env.step(1)\n"
        f"open({str(saved)!r}, 'wb').write(cloudpickle.dumps(env))\n"
    )
    subprocess.run([sys.executable, "-c", code], env=boot(tmp_path), timeout=PATIENCE, check=True)
    assert b"envdoctor" not in saved.read_bytes()
    code = (
        f"import pickle; env = pickle.load(open({str(saved)!r}, 'rb'))\n"
        "print(env.step(5), type(type(env).step).__name__)"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", code], env=variables(), capture_output=True, text=True, check=True
    )
    assert loaded.stdout == "5 function\n"


def test_a_class_that_is_loaded_again_goes_on_counting(tmp_path: Path) -> None:
    pytest.importorskip("cloudpickle")
    code = (
        "import arms, cloudpickle\n"
        "class Own(arms.Arm):\n"
        "    def step(self, action):\n"
        "        return action\n"
        "env = Own(); env.step(1)\n"
        "other = cloudpickle.loads(cloudpickle.dumps(env))\n"
        "other.step(1); env.step(1)\n"
    )
    subprocess.run([sys.executable, "-c", code], env=boot(tmp_path), timeout=PATIENCE, check=True)
    (counts,) = read_pages(tmp_path)
    assert [one.step.ended for one in instances(counts, PageReport())] == [2, 1]


def test_a_patch_that_calls_what_counts_is_counted_once(tmp_path: Path) -> None:
    code = (
        "import arms\n"
        "env = arms.Arm(); env.step(1)\n"
        "old = arms.Arm.step\n"
        "arms.Arm.step = lambda self, action: old(self, action)\n"
        "other = arms.Arm(); other.step(1); other.step(1)\n"
    )
    subprocess.run([sys.executable, "-c", code], env=boot(tmp_path), timeout=PATIENCE, check=True)
    (counts,) = read_pages(tmp_path)
    assert [one.step.ended for one in instances(counts, PageReport())] == [1, 2]


def test_the_users_sitecustomize_runs_and_children_are_reached(tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "sitecustomize.py").write_text("print('theirs')\n")
    own = {**os.environ, "PYTHONPATH": os.pathsep.join([str(theirs), str(LIBRARY)])}
    write_boot(tmp_path)
    code = (
        "import subprocess, sys, arms; arms.play(1, 1)\n"
        "subprocess.run([sys.executable, '-c', 'import arms; arms.play(1, 2)'], check=True)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment(tmp_path, own),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    assert (done.stdout, done.stderr) == ("theirs\ntheirs\n", "")
    assert sorted(each["steps"] for each in counted(tmp_path).values()) == [1, 2]
