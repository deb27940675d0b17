"""`envdoctor init`: it prints, or writes once, what a project is examined by."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from envdoctor.cli.initializing import GITHUB, GITLAB
from envdoctor.cli.main import app
from envdoctor.config.reading import parse

ARMS = """
import gymnasium
class Arm(gymnasium.Env):
    def reset(self, *, seed=None, options=None): ...
    def step(self, action): ...
class Long(Arm):
    def __init__(self, joints, mode): ...
"""
PROJECT = '[project]\nname = "rob"'


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "arms.py").write_text(ARMS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def init(*words: str) -> list[str]:
    result = CliRunner().invoke(app, ["init", *words])
    assert result.exit_code == 0, result.output
    return result.stdout.splitlines()


def test_it_prints_and_writes_nothing(project: Path) -> None:
    lines = init()
    assert lines[:3] == [
        "# envdoctor.toml, a new file",
        "specs = [",
        '    "arms.py:Arm",',
    ]
    assert "# .github/workflows/envdoctor.yml, a new file" in lines
    assert [path.name for path in project.iterdir()] == ["arms.py"]


def test_what_is_written_is_a_configuration_and_a_workflow(project: Path) -> None:
    assert init("--write")[:2] == [
        "written: envdoctor.toml",
        "written: .github/workflows/envdoctor.yml",
    ]
    config = parse((project / "envdoctor.toml").read_text(), "envdoctor.toml")
    assert config is not None
    assert list(config.values["specs"]) == ["arms.py:Arm"]
    workflow = (project / ".github/workflows/envdoctor.yml").read_text()
    assert yaml.safe_load(workflow)["jobs"]["envdoctor"]["steps"]


def test_twice_is_once(project: Path) -> None:
    (project / "pyproject.toml").write_text(PROJECT)
    init("--write")
    files = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}
    assert not any(line.startswith("written") for line in init("--write"))
    assert init()[0] == "# pyproject.toml: it is there already"
    assert {path: path.read_bytes() for path in project.rglob("*") if path.is_file()} == files


def test_a_table_is_added_to_what_a_project_says_of_itself(project: Path) -> None:
    (project / "pyproject.toml").write_text(PROJECT)
    init("--write")
    text = (project / "pyproject.toml").read_text()
    assert text.startswith(f"{PROJECT}\n\n[tool.envdoctor]\n")
    assert tomllib.loads(text)["project"] == {"name": "rob"}


def test_what_needs_arguments_is_a_comment_to_fill_in(project: Path) -> None:
    (project / "pyproject.toml").write_text(PROJECT)
    init("--write")
    text = (project / "pyproject.toml").read_text()
    assert '# [tool.envdoctor.environments."arms.py:Long"]\n' in text
    filled = text.replace("# [", "[").replace("# kwargs", "kwargs").replace("...}", "2}")
    filled = filled.replace("joints = ...", "joints = 1")
    config = parse(filled, "pyproject.toml")
    assert config is not None
    assert config.merged("kwargs", "arms.py:Long") == {"joints": 1, "mode": 2}


@pytest.mark.parametrize(
    ("there", "written"),
    [
        (".gitlab-ci.yml", [".gitlab/envdoctor.yml"]),
        (".github/dependabot.yml", [".github/workflows/envdoctor.yml"]),
        ("README.md", [".github/workflows/envdoctor.yml"]),
    ],
)
def test_the_step_is_for_the_service_that_a_project_uses(
    project: Path, there: str, written: list[str]
) -> None:
    (project / there).parent.mkdir(exist_ok=True)
    (project / there).touch()
    assert [line for line in init("--write") if ".yml" in line] == [
        f"written: {name}" for name in written
    ]


def test_steps_are_yaml() -> None:
    assert yaml.safe_load(GITLAB)["envdoctor"]["script"]
    assert yaml.safe_load(GITHUB)["name"] == "envdoctor"


def test_a_folder_without_an_environment_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["init", "--write"])
    assert (result.exit_code, result.stderr.count("\n")) == (3, 1)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_not_text_is_one_sentence(project: Path) -> None:
    (project / "pyproject.toml").write_bytes(b"name = '\xe9'")
    result = CliRunner().invoke(app, ["init"])
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
