"""Troubles from practice: found by their code, and cured by doing what the remedy says, word for word, or by pasting its lines."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.zoo import ENVS, PATIENCE, examine, told

HANDS_OVER = {  # how a person says "close it" and "stop and join it"
    "close": "self.{0}.close()",
    "stop and join": "self._stop.set(); self.{0}.join()",
}


def findings(document: dict[str, Any], code: str) -> list[dict[str, Any]]:
    return [finding for finding in document["findings"] if finding["code"] == code]


def worse_than_notes(document: dict[str, Any]) -> set[str]:
    return {finding["code"] for finding in document["findings"] if finding["severity"] != "note"}


# What the first reset() takes, and close() forgets.

LAZY = ("--managers", "direct,gymnasium-sync")


def apply(remedy: str, where: dict[str, Any]) -> None:
    """Edit the file as the remedy says: give up in close(), at the line it names, what was taken at the line it names."""
    said = re.fullmatch(r"(?P<how>.+) (it|them) in Sick\.close\(\) \(taken in Sick\.reset\(\), (?P<file>[\w.]+):(?P<line>\d+)\)\.", remedy)
    assert said is not None, remedy
    file = Path(where["file"])
    assert file.name == said["file"]
    lines = file.read_text().splitlines()
    taken = re.search(r"self\.(\w+)", lines[int(said["line"]) - 1])
    assert taken is not None
    assert lines[where["line"] - 1].strip() == "def close(self):"
    cure = HANDS_OVER[said["how"]].format(taken[1])
    lines.insert(where["line"], f"        if getattr(self, '{taken[1]}', None) is not None:\n            {cure}\n            self.{taken[1]} = None")
    file.write_text("\n".join(lines) + "\n")


def test_what_a_lazy_reset_takes(tmp_path: Path) -> None:
    for name in ("plain.py", "trouble_lazy_reset.py"):
        shutil.copy(ENVS / name, tmp_path)
    ill = ["CLS006", "CLS007"]
    for count in range(len(ill), 0, -1):  # one remedy after the other
        exit_code, document = examine("trouble_lazy_reset.py:Sick", *LAZY, cwd=tmp_path)
        assert (exit_code, sorted(worse_than_notes(document))) == (1, ill[-count:])
        first = findings(document, ill[-count])
        assert {finding["manager"] for finding in first} == {"direct", "gymnasium-sync"}
        assert {finding["blame"] for finding in first} == {"environment"}
        apply(first[0]["remedy"]["text"], first[0]["location"])
    exit_code, document = examine("trouble_lazy_reset.py:Sick", *LAZY, cwd=tmp_path)
    assert (exit_code, told(document, "error", "warning")) == (0, [])


def test_its_healthy_twin() -> None:
    exit_code, document = examine("trouble_lazy_reset.py:Healthy", *LAZY)
    assert (exit_code, told(document, "error", "warning")) == (0, [])


# A pool of threads that a process has once.


def test_workers_are_not_forked_after_the_environment_was_played_alone() -> None:
    exit_code, document = examine(
        "trouble_pool_of_the_module.py:Healthy", "--managers", "direct,gymnasium-async", "--start-methods", "fork", "--timeout", "5"
    )
    assert (exit_code, told(document, "error", "warning")) == (0, [])


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
        [sys.executable, str(script)], env={"PYTHONPATH": str(ENVS), "PATH": "/usr/bin:/bin"}, capture_output=True, text=True,
        timeout=PATIENCE, check=False,
    )


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_one_simulator_a_process(tmp_path: Path) -> None:
    exit_code, document = examine("mak004_one_instance_per_process.py:Sick", "--start-methods", "spawn")
    assert exit_code == 1
    (finding,) = findings(document, "MAK004")
    assert "the simulator is in use by another instance of this process" in finding["message"]
    assert "seen to work here with gymnasium-async, spawn" in finding["remedy"]["text"]

    assert "the simulator is in use" in train(tmp_path, "envs = gymnasium.vector.SyncVectorEnv([make_env] * 2)").stderr
    (line,) = finding["remedy"]["commands"]
    cured = train(tmp_path, line)
    assert (cured.returncode, cured.stdout) == (0, "trained\n"), cured.stderr
    under = [one for one in document["findings"] if one["manager"] == "gymnasium-async" and one["severity"] != "note"]
    assert under == []  # the remedy's manager was examined too


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_one_simulator_an_instance() -> None:
    """The other half of the remedy: the state in a handle."""
    exit_code, document = examine("mak004_one_instance_per_process.py:Healthy", "--start-methods", "spawn")
    assert (exit_code, told(document, "error", "warning")) == (0, [])


# An id that the script registers, and that its workers never heard of.


def test_an_id_that_workers_cannot_find() -> None:
    arguments = ("--import", "reg003_missing_in_spawned_worker", "--managers", "gymnasium-async")
    exit_code, document = examine("ZooReg003-v0", *arguments)
    assert (exit_code, worse_than_notes(document)) == (1, {"REG003", "REG004"})
    assert [finding["start_method"] for code in ("REG003", "REG004") for finding in findings(document, code)] == ["spawn", "forkserver"]

    remedies = {command for finding in document["findings"] for command in finding["remedy"]["commands"]}
    cured = {name for command in remedies for name in re.findall(r'gymnasium\.make\("(.+?)"\)', command)}
    assert len(cured) == 1
    assert all(" Verified: works with gymnasium-async, " in finding["remedy"]["text"] for finding in document["findings"])
    exit_code, document = examine(cured.pop(), *arguments)
    assert (exit_code, told(document, "error", "warning")) == (0, [])
    assert {scenario["start_method"] for scenario in document["scenarios"]} == {None, "fork", "forkserver", "spawn"}


# Lines to paste.

HEADER = re.compile(r"# in (\w+)\.close\(\)")


def copy_of(tmp_path: Path, name: str) -> Path:
    for file in ("plain.py", name):
        shutil.copy(ENVS / file, tmp_path)
    return tmp_path / name


def paste(commands: list[str], file: Path) -> None:
    """Give the class Sick a close() that begins with these lines, or put them first into the one that it has."""
    header, *body = commands
    said = HEADER.fullmatch(header)
    assert said is not None
    assert said[1] == "Sick"
    text = file.read_text()
    before, sick, after = text.partition("class Sick(Plain):\n")
    lines = "".join(f"        {line}\n" for line in body)
    file.write_text(f"import os\nimport shutil\n{without_future(before)}{sick}    def close(self):\n{lines}\n{after}")


def without_future(text: str) -> str:
    return text.replace("from __future__ import annotations\n", "")


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
def test_what_is_left_open_is_closed_by_the_pasted_lines(tmp_path: Path, name: str) -> None:
    file, code = copy_of(tmp_path, name), name[:6].upper()
    _, document = examine(f"{name}:Sick", "--managers", "direct", cwd=tmp_path)
    (finding,) = findings(document, code)
    paste(finding["remedy"]["commands"], file)
    exit_code, document = examine(f"{name}:Sick", "--managers", "direct", cwd=tmp_path)
    assert (exit_code, told(document, "error", "warning")) == (0, [])


@pytest.mark.parametrize("name", ["cls002_close_before_reset_raises.py", "cls003_second_close_raises.py"])
def test_the_guard_that_close_lacks(tmp_path: Path, name: str) -> None:
    file, code = copy_of(tmp_path, name), name[:6].upper()
    _, document = examine(f"{name}:Sick", "--managers", "direct", cwd=tmp_path)
    (finding,) = findings(document, code)
    *before, guard, call, forget = finding["remedy"]["commands"]
    text = file.read_text()
    assert text.count(f"        {call.strip()}\n") >= 1
    text = text.replace(f"        {call.strip()}\n", f"        {guard}\n        {call}\n        {forget}\n", 1)
    if before:  # the attribute that only reset() made
        (given,) = before
        constructor = f"    def __init__(self, render_mode=None):\n        super().__init__(render_mode)\n        {given}\n\n"
        text = text.replace("class Sick(Plain):\n", f"class Sick(Plain):\n{constructor}", 1)
    file.write_text(text)
    exit_code, document = examine(f"{name}:Sick", "--managers", "direct", cwd=tmp_path)
    assert (exit_code, told(document, "error", "warning")) == (0, [])


def test_an_info_that_travels(tmp_path: Path) -> None:
    file = copy_of(tmp_path, "vec005_payload_not_picklable.py")
    arguments = (f"{file.name}:Sick", "--managers", "gymnasium-async", "--start-methods", "fork")
    _, document = examine(*arguments, cwd=tmp_path)
    (command,) = findings(document, "VEC005")[0]["remedy"]["commands"]
    text = file.read_text()
    place = "        return observation, reward, terminated, truncated, info\n"
    file.write_text(text.replace(place, f"        {command}\n{place}", 1))
    exit_code, document = examine(*arguments, cwd=tmp_path)
    assert (exit_code, told(document, "error", "warning")) == (0, [])


def test_an_error_that_travels(tmp_path: Path) -> None:
    file = copy_of(tmp_path, "vec006_exception_not_picklable.py")
    arguments = (f"{file.name}:Sick", "--managers", "gymnasium-async", "--start-methods", "fork")
    _, document = examine(*arguments, cwd=tmp_path)
    signature, *method = findings(document, "VEC006")[0]["remedy"]["commands"]
    text = file.read_text().replace("    def __init__(self, joint, angle):\n", f"    {signature}\n", 1)
    pasted = "\n".join(f"    {line}" for line in method)
    text = text.replace("self.joint, self.angle = joint, angle\n", f"self.joint, self.angle = joint, angle\n\n{pasted}\n", 1)
    file.write_text(text)
    exit_code, document = examine(*arguments, cwd=tmp_path)
    assert (exit_code, told(document)) == (0, [])
