"""`envdoctor init`: it prints, or writes once, what a project is examined by."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from envdoctor.cli.initializing import GITHUB, GITLAB
from envdoctor.cli.main import app
from envdoctor.config.reading import parse
from envdoctor.verdict.baseline import NAME

ARMS = """
import gymnasium
class Arm(gymnasium.Env):
    def reset(self, *, seed=None, options=None): ...
    def step(self, action): ...
class Long(Arm):
    def __init__(self, joints, mode): ...
"""
BELT = """
import gymnasium
class Belt(gymnasium.Env):
    observation_space = gymnasium.spaces.Discrete(2)
    action_space = gymnasium.spaces.Discrete(2)
    def __init__(self): self.log = open("/dev/null")
    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return 0, {}
    def step(self, action): return 0, 0.0, False, False, {}
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


def test_init_prints_files_and_writes_none(project: Path) -> None:
    lines = init()
    assert lines[:3] == [
        "# envdoctor.toml, a new file",
        "specs = [",
        '    "arms.py:Arm",',
    ]
    assert "# .github/workflows/envdoctor.yml, a new file" in lines
    assert [path.name for path in project.iterdir()] == ["arms.py"]


def test_write_creates_a_configuration_and_a_workflow(project: Path) -> None:
    assert init("--write")[:2] == [
        "written: envdoctor.toml",
        "written: .github/workflows/envdoctor.yml",
    ]
    config = parse((project / "envdoctor.toml").read_text(), "envdoctor.toml")
    assert config is not None
    assert list(config.values["specs"]) == ["arms.py:Arm"]
    assert "baseline" not in config.values
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


def test_environment_with_arguments_is_a_comment_to_fill_in(project: Path) -> None:
    (project / "pyproject.toml").write_text(PROJECT)
    init("--write")
    text = (project / "pyproject.toml").read_text()
    assert '# [[tool.envdoctor.subject]]\n# spec = "arms.py:Long"\n# kwargs = {' in text
    filled = re.sub(r"^# (\[\[|spec|kwargs)", r"\1", text, flags=re.MULTILINE)
    filled = filled.replace("joints = ...", "joints = 1").replace("...}", "2}")
    config = parse(filled, "pyproject.toml")
    assert config is not None
    title = "arms.py:Long(joints=1, mode=2)"
    assert config.titles("arms.py:Long") == (title,)
    assert config.merged("kwargs", title) == {"joints": 1, "mode": 2}


@pytest.mark.parametrize(
    ("there", "written"),
    [
        (".gitlab-ci.yml", [".gitlab/envdoctor.yml", ".gitlab-ci.yml"]),
        (".github/dependabot.yml", [".github/workflows/envdoctor.yml"]),
        ("README.md", [".github/workflows/envdoctor.yml"]),
    ],
)
def test_the_step_is_for_the_service_that_a_project_uses(
    project: Path, there: str, written: list[str]
) -> None:
    (project / there).parent.mkdir(exist_ok=True)
    (project / there).touch()
    hook = ".pre-commit-config.yaml"
    assert [line for line in init("--write") if ".y" in line] == [
        f"written: {name}" for name in (*written, hook)
    ]


HOOKS = """\
repos:
  - repo: https://github.com/astral-sh/ruff-pre-commit
    rev: v0.6.0
    hooks:
      - id: ruff
"""


@pytest.mark.parametrize(
    ("text", "is_added"),
    [
        (HOOKS, True),
        (HOOKS.replace("\n  ", "\n"), True),
        (f"fail_fast: true\n{HOOKS}", True),
        (f"{HOOKS}fail_fast: true\n", False),
        ("repos: []\n", False),
    ],
)
def test_the_hook_is_the_last_of_those_that_a_project_has(
    project: Path, text: str, is_added: bool
) -> None:
    file = project / ".pre-commit-config.yaml"
    file.write_text(text)
    lines = init("--write")
    repositories = yaml.safe_load(file.read_text())["repos"]
    ids = [each["hooks"][0]["id"] for each in repositories]
    assert ("envdoctor" in ids[-1:]) is is_added
    assert ("# .pre-commit-config.yaml, to be added by hand" in lines) is not is_added


def test_a_new_hook_examines_what_changed(project: Path) -> None:
    init("--write")
    (repository,) = yaml.safe_load((project / ".pre-commit-config.yaml").read_text())["repos"]
    (hook,) = repository["hooks"]
    assert "--since" in hook["entry"]
    assert hook["language"] == "system"


@pytest.mark.parametrize(
    ("text", "is_added"),
    [("", True), ("lint:\n  script: [ruff]\n", True), ("stages: [lint]\n", False)],
)
def test_a_pipeline_includes_the_job_where_that_changes_nothing_else(
    project: Path, text: str, is_added: bool
) -> None:
    pipeline = project / ".gitlab-ci.yml"
    pipeline.write_text(text)
    lines = init("--write")
    assert ("include" in yaml.safe_load(pipeline.read_text())) is is_added
    assert ("# .gitlab-ci.yml, to be added by hand" in lines) is not is_added


def test_a_baseline_is_examined_only_where_files_are_written(project: Path) -> None:
    result = CliRunner().invoke(app, ["init", "--baseline"])
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)


def test_a_baseline_that_is_there_stays(project: Path) -> None:
    (project / NAME).write_text("version = 2\n")
    assert init("--write", "--baseline")[-1] == f"{NAME}: it is there already"
    config = parse((project / "envdoctor.toml").read_text(), "envdoctor.toml")
    assert config is not None
    assert config.values["baseline"] == NAME


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


def test_errors_of_today_are_written_down_with_their_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "belt.py").write_text(BELT)
    (tmp_path / "envdoctor.toml").write_text(
        'specs = ["belt.py:Belt"]\nmanagers = ["direct"]\nselect = ["CLS006"]\n'
    )
    monkeypatch.chdir(tmp_path)
    assert init("--write", "--baseline")[-1] == f"{NAME}: 1 known finding"
    (known,) = tomllib.loads((tmp_path / NAME).read_text())["known"]
    assert (known["code"], known["reason"]) == ("CLS006", "there when envdoctor was set up")
