"""An id that no process knows: who would register it, and why nobody did."""

from __future__ import annotations

import json
import subprocess
import sys
import venv
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from envdoctor.errors import UsageError
from envdoctor.probe.subject.registering import imported_inside, modules_that_register
from envdoctor.request.specs import parse_script
from envdoctor.rules.engine.examples import direct_view, trace, verb
from envdoctor.rules.registration.reg001_unknown_environment import unknown_environment

REGISTERS = """
from gymnasium.envs.registration import register
register(id="Crane-v0", entry_point="gymnasium.envs.classic_control:CartPoleEnv")
"""
LATER = f"def now():\n    {REGISTERS.strip().splitlines()[1]}\n"
SCRIPT = """
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--name", required=True)
NAME = parser.parse_args().name


def main():
    import gymnasium
    import mypkg.envs

    return gymnasium.make(NAME)


if __name__ == "__main__":
    main()
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A package in the working directory, which only main() of the script imports."""
    (tmp_path / "mypkg" / "envs").mkdir(parents=True)
    (tmp_path / "mypkg" / "__init__.py").touch()
    (tmp_path / "mypkg" / "envs" / "__init__.py").write_text(REGISTERS)
    (tmp_path / "train.py").write_text(SCRIPT)
    (tmp_path / "later.py").write_text(LATER)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "copy.py").write_text(REGISTERS)
    return tmp_path


def check(project: Path, *words: str) -> tuple[dict[str, Any], str]:
    command = [sys.executable, "-m", "envdoctor", "check", *words, "--format", "json"]
    done = subprocess.run(
        command, cwd=project, capture_output=True, text=True, timeout=600, check=False
    )
    document = json.loads(done.stdout)
    return document["findings"][0], done.stderr


def test_a_package_of_the_working_directory_is_found_by_reading(project: Path) -> None:
    assert modules_that_register("Crane-v0", str(project)) == ["mypkg.envs"]
    assert modules_that_register("Cranes-v0", str(project)) == []
    assert modules_that_register("Crane-v0", "") == []
    finding, _ = check(project, "Crane-v0")
    assert finding["code"] == "REG001"
    assert finding["remedy"]["commands"] == [
        "envdoctor check mypkg.envs:Crane-v0",
        "envdoctor check --import mypkg.envs Crane-v0",
    ]


def test_an_import_inside_main_of_the_script_is_named(project: Path) -> None:
    finding, _ = check(project, "Crane-v0", "--script", "train.py --name 'Crane-v0'")
    assert finding["code"] == "REG001", "its arguments reached the script, or it would exit"
    assert finding["remedy"]["text"].startswith("train.py imports it inside main(), line 11,")
    assert finding["remedy"]["commands"] == ["import mypkg.envs"]
    script = str(project / "train.py")
    assert imported_inside(script, ["other"]) == {}
    assert imported_inside("", ["mypkg.envs"]) == {}


@pytest.mark.everything
def test_without_its_arguments_the_script_says_so_itself(project: Path) -> None:
    finding, _ = check(project, "Crane-v0", "--script", "train.py")
    assert (finding["code"], finding["message"]) == (
        "REG002",
        "importing train.py exits: SystemExit: 2",
    )


def test_an_interpreter_without_gymnasium_is_reported_as_such(tmp_path: Path) -> None:
    venv.create(tmp_path / "bare", with_pip=False, symlinks=True)
    python = str(tmp_path / "bare" / "bin" / "python")
    finding, _ = check(tmp_path, "CartPole-v1", "--python", python)
    assert finding["message"] == (
        f"neither gymnasium nor gym is installed in {python}, so no id is known there"
    )
    assert finding["remedy"]["text"].startswith("install gymnasium there, or name the interpreter")


def commands(spec: str, command: str, **survey: object) -> tuple[str, ...]:
    """Return the commands that REG001 shows to paste, where the run has this command line."""
    view = direct_view(trace(verb("survey"), name="survey"), why="unknown", **survey)
    view = replace(view, subject=spec, survey=replace(view.survey, command=command))
    (finding,) = unknown_environment.judge(view)
    return finding.remedy.commands


def test_an_older_run_has_no_options_to_repeat() -> None:
    found = {"would_register": ["mypkg"]}
    assert commands("my arm.py:Crane-v0", "", **found)[0] == "envdoctor check mypkg:Crane-v0"
    given = "'my arm.py:Crane-v0' -k size=3"
    assert commands("my arm.py:Crane-v0", given, **found)[0].endswith("mypkg:Crane-v0 -k size=3")


@pytest.mark.parametrize("more", ["", " --python /usr/bin/python3"])
def test_only_the_interpreter_is_replaced(more: str) -> None:
    given = "Crane-v0 -k 'note=\"see --python x\"'"
    shown = commands("Crane-v0", given + more, frameworks={"python": "3.11.7"})
    assert shown == (f"envdoctor check {given} --python /path/to/python",)


def test_the_words_after_the_script_are_its_arguments(project: Path) -> None:
    path = str((project / "train.py").resolve())
    assert parse_script("train.py --seed 1 --out 'a b'", str(project)) == (
        path,
        ("--seed", "1", "--out", "a b"),
    )
    assert parse_script("train.py", str(project)) == (path, ())
    spaced = project / "my train.py"
    spaced.touch()
    assert parse_script("my train.py", str(project)) == (str(spaced.resolve()), ())
    for wrong, said in (
        ("tran.py --seed 1", "no such file; did you mean train.py"),
        ('tran.py "', "its quotes are not closed"),
    ):
        with pytest.raises(UsageError, match=said):
            parse_script(wrong, str(project))
