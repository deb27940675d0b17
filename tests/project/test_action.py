"""The GitHub Action and the pre-commit hook at the top of the repository, played as their
services play them.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from tests.support.runner import Runner

yaml = pytest.importorskip("yaml")

TOP = Path(__file__).parents[2]
ACTION = yaml.safe_load((TOP / "action.yml").read_text())
PINNED = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}")

SICK = """
class Env:
    def reset(self, seed=None, options=None):
        self.file = open(__file__)
        return 0, {}
    def step(self, action):
        return 0, 0.0, False, False, {}
    def close(self):
        pass
"""


@pytest.fixture
def runner(tmp_path: Path) -> Iterator[Runner]:
    """A runner with envdoctor installed already, and a repository with a sick environment in it."""
    (tmp_path / "work" / "envs").mkdir(parents=True)
    (tmp_path / "work" / ".git").mkdir()
    (tmp_path / "work" / "envs" / "sick.py").write_text(SICK)
    doctor = tmp_path / "temp" / "envdoctor" / "bin" / "envdoctor"
    doctor.parent.mkdir(parents=True)
    doctor.write_text(
        f"#!/bin/sh\nPYTHONPATH={shlex.quote(str(TOP))} exec {shlex.quote(sys.executable)} -m"
        ' envdoctor "$@"\n'
    )
    doctor.chmod(0o755)
    yield Runner(TOP, tmp_path / "work", tmp_path / "temp")


def test_the_action_examines_annotates_and_keeps_the_reports(runner: Runner) -> None:
    job = runner.play(
        specs="\n  envs/sick.py  \n",
        python=sys.executable,
        arguments="--managers=direct\n--select=CLS006\n",
        upload_sarif="true",
        category="envs",
    )
    assert (job.code, job.outputs["exit-code"]) == (1, "1"), job.log
    assert (
        "::error file=envs/sick.py,line=8,title=CLS006 close-leaves-descriptors::envs/sick.py"
        " [direct]: " in job.log
    )
    assert job.summary.startswith("## envdoctor: failed: 1 error")
    reports = Path(job.outputs["reports"])
    assert json.loads((reports / "envdoctor.json").read_text())["summary"]["errors"] == 1
    assert ET.parse(reports / "envdoctor.xml").getroot().get("failures") == "1"
    (keep, keeping), (upload, uploading) = job.called
    assert keep.startswith("actions/upload-artifact@")
    assert keeping == {"name": "envdoctor", "path": str(reports)}
    assert upload.startswith("github/codeql-action/upload-sarif@")
    assert uploading == {"sarif_file": str(reports / "envdoctor.sarif"), "category": "envs"}


def test_wrong_usage_keeps_nothing(runner: Runner) -> None:
    job = runner.play(
        specs="envs/sick.py",
        python=sys.executable,
        arguments="--managers=dirct",
        upload_sarif="true",
    )
    assert (job.code, job.called) == (2, [])
    assert "no manager is called 'dirct'; did you mean direct?" in job.log


def test_nothing_in_an_input_is_a_command(runner: Runner) -> None:
    """Neither of the shell nor of the line after it; a spec that begins with a dash is a spec."""
    job = runner.play(
        specs="--exit-zero",
        python="$(touch hacked)",
        arguments="--seed=0; touch hacked\n`touch hacked`",
    )
    assert job.code == 2
    assert not list(runner.workspace.rglob("hacked"))


def test_folders_are_where_the_work_is(runner: Runner) -> None:
    job = runner.play(
        specs="sick.py",
        working_directory="envs",
        python=sys.executable,
        arguments="--managers=direct\n--select=CLS006",
        artifact="",
    )
    assert "::error file=envs/sick.py," in job.log, "paths are the repository's"
    assert job.called == []


def test_an_interpreter_that_is_too_old_is_said(
    runner: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    (runner.temporary / "envdoctor" / "bin" / "envdoctor").unlink()
    fake = runner.temporary / "fake"
    fake.mkdir()
    for name in ("python3.14", "python3.13", "python3.12", "python3.11", "old"):
        (fake / name).write_text("#!/bin/sh\nexit 1\n")
        (fake / name).chmod(0o755)
    script = ACTION["runs"]["steps"][0]["run"].replace("/usr/bin/python3", "old")
    done = subprocess.run(
        ["bash", "-c", script],
        env={
            "PATH": f"{fake}:/usr/bin:/bin",
            "RUNNER_TEMP": str(runner.temporary),
            "DOCTOR_PYTHON": "old",
        },
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert (done.returncode, done.stdout) == (
        1,
        (
            "::error title=envdoctor::doctor-python: no Python 3.11 or newer is here; set one up"
            " first\n"
        ),
    )


@pytest.mark.parametrize("step", ACTION["runs"]["steps"], ids=lambda step: step["name"])
def test_scripts_interpolate_nothing_and_other_actions_are_pinned(step: dict[str, Any]) -> None:
    assert "${{" not in step.get("run", "")
    assert "uses" not in step or PINNED.fullmatch(step["uses"])
    assert "uses" in step or step["shell"] == "bash"


def test_every_input_is_described_and_used() -> None:
    text = (TOP / "action.yml").read_text()
    for name, entry in ACTION["inputs"].items():
        assert entry["description"].endswith(".") or entry["description"].endswith("`.")
        assert f"inputs.{name}" in text


def test_the_hook_runs_where_there_is_time_for_it() -> None:
    (hook,) = yaml.safe_load((TOP / ".pre-commit-hooks.yaml").read_text())
    assert hook["pass_filenames"] is False
    assert hook["always_run"] is True
    assert set(hook["stages"]) == {"pre-push", "manual"}
    assert (
        hook["entry"].split()[0]
        in (TOP / "pyproject.toml").read_text().split("[project.scripts]")[1].split("\n\n")[0]
    )


@pytest.mark.parametrize(
    "file", sorted((TOP / "docs" / "ci").glob("*.yml")), ids=lambda file: file.name
)
def test_templates_are_yaml_and_use_options_that_exist(file: Path) -> None:
    import typer.main

    from envdoctor.cli.main import app

    assert yaml.safe_load(file.read_text())
    command = typer.main.get_command(app).commands["check"]  # type: ignore[attr-defined]
    known = {word for parameter in command.params for word in parameter.opts}
    commands = re.findall(r"envdoctor check (.*(?:\\\n.*)*)", file.read_text())
    assert commands
    assert {word for line in commands for word in re.findall(r"--[a-z-]+", line)} <= known
