"""Troubles from practice: found by their code, and cured by doing what the remedy says, word
for word, or by pasting its lines.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.pasting import paste
from tests.support.zoo import ENVS, PATIENCE, examine, messages_of


def findings(document: dict[str, Any], code: str) -> list[dict[str, Any]]:
    return [finding for finding in document["findings"] if finding["code"] == code]


def worse_than_notes(document: dict[str, Any]) -> set[str]:
    return {finding["code"] for finding in document["findings"] if finding["severity"] != "note"}


# What the first reset() takes, and close() forgets.

LAZY = ("--managers", "direct,gymnasium-sync")


@pytest.mark.everything
def test_remedies_cure_a_lazy_reset_one_by_one(tmp_path: Path) -> None:
    for name in ("plain.py", "trouble_lazy_reset.py"):
        shutil.copy(ENVS / name, tmp_path)
    ill = ["CLS006", "CLS007"]
    for count in range(len(ill), 0, -1):  # one remedy after the other
        exit_code, document = examine("trouble_lazy_reset.py:Sick", *LAZY, cwd=tmp_path)
        assert (exit_code, sorted(worse_than_notes(document))) == (1, ill[-count:])
        first = findings(document, ill[-count])
        assert {finding["manager"] for finding in first} == {"direct", "gymnasium-sync"}
        assert {finding["blame"] for finding in first} == {"environment"}
        assert first[0]["remedy_verified"]
        paste(tmp_path, first[0]["remedy"]["commands"])
    exit_code, document = examine("trouble_lazy_reset.py:Sick", *LAZY, cwd=tmp_path)
    assert (exit_code, messages_of(document, "error", "warning")) == (0, [])


@pytest.mark.everything
def test_its_healthy_twin() -> None:
    exit_code, document = examine("trouble_lazy_reset.py:Healthy", *LAZY)
    assert (exit_code, messages_of(document, "error", "warning")) == (0, [])


# A pool of threads that a process has once.


@pytest.mark.everything
def test_workers_are_not_forked_after_the_environment_was_played_alone() -> None:
    exit_code, document = examine(
        "trouble_pool_of_the_module.py:Healthy",
        "--managers",
        "direct,gymnasium-async",
        "--start-methods",
        "fork",
        "--timeout",
        "5",
    )
    assert (exit_code, messages_of(document, "error", "warning")) == (0, [])


# A simulator of which a process can host only one.

TRAINING = """
import gymnasium
from mak004_one_instance_per_process import Sick


def make_env():
    return Sick()


if __name__ == "__main__":
    {line}
    envs.reset(seed=0)
    for _ in range(20):
        envs.step(envs.action_space.sample())
    envs.close()
    print("trained")
"""


def train(tmp_path: Path, line: str) -> subprocess.CompletedProcess[str]:
    """Run a training script with this line in it."""
    script = tmp_path / "train.py"
    script.write_text(TRAINING.format(line=line))
    return subprocess.run(
        [sys.executable, str(script)],
        env={"PYTHONPATH": str(ENVS), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


@pytest.mark.everything
@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_one_simulator_a_process(tmp_path: Path) -> None:
    exit_code, document = examine(
        "mak004_one_instance_per_process.py:Sick", "--start-methods", "spawn"
    )
    assert exit_code == 1
    (finding,) = findings(document, "MAK004")
    assert "the simulator is in use by another instance of this process" in finding["message"]
    assert "seen to work here with gymnasium-async, spawn" in finding["remedy"]["text"]

    assert (
        "the simulator is in use"
        in train(tmp_path, "envs = gymnasium.vector.SyncVectorEnv([make_env] * 2)").stderr
    )
    (line,) = finding["remedy"]["commands"]
    cured = train(tmp_path, line)
    assert (cured.returncode, cured.stdout) == (0, "trained\n"), cured.stderr
    under = [
        one
        for one in document["findings"]
        if one["manager"] == "gymnasium-async" and one["severity"] != "note"
    ]
    assert under == []  # the remedy's manager was examined too


@pytest.mark.everything
@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_one_simulator_an_instance() -> None:
    """The other half of the remedy: the state in a handle."""
    exit_code, document = examine(
        "mak004_one_instance_per_process.py:Healthy", "--start-methods", "spawn"
    )
    assert (exit_code, messages_of(document, "error", "warning")) == (0, [])


# An id that the script registers, and that its workers never heard of.


@pytest.mark.everything
def test_an_id_that_workers_cannot_find() -> None:
    arguments = ("--import", "reg003_missing_in_spawned_worker", "--managers", "gymnasium-async")
    exit_code, document = examine("ZooReg003-v0", *arguments)
    assert (exit_code, worse_than_notes(document)) == (1, {"REG003", "REG004"})
    assert [
        finding["start_method"]
        for code in ("REG003", "REG004")
        for finding in findings(document, code)
    ] == ["spawn", "forkserver"]

    remedies = {
        command for finding in document["findings"] for command in finding["remedy"]["commands"]
    }
    cured = {
        name for command in remedies for name in re.findall(r'gymnasium\.make\("(.+?)"\)', command)
    }
    assert len(cured) == 1
    assert all(
        " Verified: works with gymnasium-async, " in finding["remedy"]["text"]
        for finding in document["findings"]
    )
    exit_code, document = examine(cured.pop(), *arguments)
    assert (exit_code, messages_of(document, "error", "warning")) == (0, [])
    assert {scenario["start_method"] for scenario in document["scenarios"]} == {
        None,
        "fork",
        "spawn",
    }


# Lines to paste.


def copy_of(tmp_path: Path, name: str) -> Path:
    for file in ("plain.py", name):
        shutil.copy(ENVS / file, tmp_path)
    return tmp_path / name


@pytest.mark.everything
@pytest.mark.parametrize(
    "name",
    [
        "cls006_close_leaves_descriptors.py",
        "cls007_close_leaves_threads.py",
        "cls008_close_leaves_processes.py",
        "cls009_close_leaves_ports.py",
        "cls010_close_leaves_temporary_files.py",
    ],
)
def test_pasted_remedy_closes_leftovers(tmp_path: Path, name: str) -> None:
    copy_of(tmp_path, name)
    _, document = examine(f"{name}:Sick", "--managers", "direct", cwd=tmp_path)
    (finding,) = findings(document, name[:6].upper())
    paste(tmp_path, finding["remedy"]["commands"])
    exit_code, document = examine(f"{name}:Sick", "--managers", "direct", cwd=tmp_path)
    assert (exit_code, messages_of(document, "error", "warning")) == (0, [])


@pytest.mark.everything
@pytest.mark.parametrize(
    "name", ["cls002_close_before_reset_raises.py", "cls003_second_close_raises.py"]
)
def test_the_guard_that_close_lacks(tmp_path: Path, name: str) -> None:
    copy_of(tmp_path, name)
    _, document = examine(f"{name}:Sick", "--managers", "direct", cwd=tmp_path)
    (finding,) = findings(document, name[:6].upper())
    paste(tmp_path, finding["remedy"]["commands"])
    exit_code, document = examine(f"{name}:Sick", "--managers", "direct", cwd=tmp_path)
    assert (exit_code, messages_of(document, "error", "warning")) == (0, [])


@pytest.mark.everything
def test_an_error_that_travels(tmp_path: Path) -> None:
    file = copy_of(tmp_path, "vec006_exception_not_picklable.py")
    arguments = (f"{file.name}:Sick", "--managers", "gymnasium-async", "--start-methods", "fork")
    _, document = examine(*arguments, cwd=tmp_path)
    paste(tmp_path, findings(document, "VEC006")[0]["remedy"]["commands"])
    exit_code, document = examine(*arguments, cwd=tmp_path)
    assert (exit_code, messages_of(document)) == (0, [])
