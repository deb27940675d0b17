"""`envdoctor list`, and folders in the place of SPECs."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from envdoctor.cli.listing import as_text, changes, contents, still_concerned, without_folders
from envdoctor.cli.main import app
from envdoctor.config.reading import parse
from envdoctor.discovery.contents import contents_of
from envdoctor.discovery.files import SourceFile
from envdoctor.errors import NothingToCheck
from envdoctor.request.settings import Settings

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
ARMS = """
import gymnasium
class Arm(gymnasium.Env):
    def reset(self, *, seed=None, options=None): ...
    def step(self, action): ...
class Long(Arm):
    def __init__(self, joints): ...
"""
TRAIN = """
from stable_baselines3.common.vec_env import SubprocVecEnv
if __name__ == "__main__":
    SubprocVecEnv([]).reset()
"""
TABLE = '[tool.envdoctor.environments."rob.arms:*"]\nkwargs = {joints = 3}\n'


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    package = tmp_path / "src" / "rob"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "arms.py").write_text(ARMS)
    (tmp_path / "train.py").write_text(TRAIN)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def settings(configuration: str = "") -> Settings:
    config = parse(configuration, "pyproject.toml") if configuration else None
    return Settings(config, frozenset(), "")


def test_list_names_what_there_is_and_the_commands_to_type(project: Path) -> None:
    result = CliRunner().invoke(app, ["list"])
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "environments",
        "  rob.arms:Arm",
        "      src/rob/arms.py:3  class, Gymnasium",
        "  rob.arms:Long",
        "      src/rob/arms.py:6  class, Gymnasium, joints has no default: -k joints=...",
        "trainings",
        "  train.py:4  sb3-subproc, Stable-Baselines3",
        "",
        "envdoctor check .  # examines one of these",
        "envdoctor watch -- python train.py",
    ]


def test_list_for_programs(project: Path) -> None:
    document = json.loads(CliRunner().invoke(app, ["list", "src", "--format", "json"]).stdout)
    assert (document["version"], document["trainings"]) == (1, [])
    assert [(each["spec"], each["needs"]) for each in document["environments"]] == [
        ("rob.arms:Arm", []),
        ("rob.arms:Long", ["joints"]),
    ]


def test_list_of_nothing_and_of_nowhere(tmp_path: Path) -> None:
    nothing = CliRunner().invoke(app, ["list", str(tmp_path)])
    assert (nothing.exit_code, nothing.stdout) == (
        0,
        f"no environment and no training found in {tmp_path}\n",
    )
    nowhere = CliRunner().invoke(app, ["list", str(tmp_path / "a")])
    assert (nowhere.exit_code, nowhere.stderr.count("\n")) == (2, 1)


def test_folder_stands_for_what_can_be_examined_there(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    specs, roots = without_folders(settings(), ["CartPole-v1", "."], None)
    assert specs == ("CartPole-v1", "rob.arms:Arm")
    assert roots == (str(project / "src"),)
    assert capsys.readouterr().err == (
        "envdoctor: not judged: rob.arms:Long: joints has no default: -k joints=...\n"
        "envdoctor: to examine these as well, list them in envdoctor.toml: [[subject]] with spec and"
        " kwargs\n"
        "envdoctor: one environment of .; `envdoctor list .` names them\n"
    )


@pytest.mark.parametrize(
    ("file", "table"),
    [("pyproject.toml", "[[tool.envdoctor.subject]]"), ("envdoctor.toml", "[[subject]]")],
)
def test_lines_that_give_arguments_are_those_of_the_configuration(
    project: Path, capsys: pytest.CaptureFixture[str], file: str, table: str
) -> None:
    made = "class Arm(gymnasium.Env):\n    def __init__(self, joints): ...\n"
    text = ARMS.replace("class Arm(gymnasium.Env):\n", made)
    (project / "src/rob/arms.py").write_text(text)
    (project / file).write_text("")
    with pytest.raises(NothingToCheck):
        without_folders(settings(), ["."], None)
    command, lines = "`envdoctor check rob.arms:Arm -k joints=...`", capsys.readouterr().err
    assert f"{command} examines one; or write this into {file}, once for each:" in lines
    pasted = lines.partition("each:\n\n")[2].replace("...", "3")
    assert pasted == f'{table}\nspec = "rob.arms:Arm"\nkwargs = {{joints = 3}}\n\n'
    configured = Settings(parse(pasted, file), frozenset(), "")
    assert without_folders(configured, None, None) == (None, ())
    (subject,) = configured.subjects(None, None, None, None)
    assert (subject.text, subject.kwargs) == ("rob.arms:Arm(joints=3)", {"joints": 3})


@pytest.mark.parametrize(("configuration", "kwarg"), [(TABLE, None), ("", ["joints=3"])])
def test_arguments_that_are_given_make_an_environment_complete(
    project: Path, capsys: pytest.CaptureFixture[str], configuration: str, kwarg: list[str] | None
) -> None:
    specs, _ = without_folders(settings(configuration), ["src"], kwarg)
    assert specs == ("rob.arms:Arm", "rob.arms:Long")
    assert "not judged" not in capsys.readouterr().err


@pytest.mark.parametrize("words", [["list"], []])
def test_list_counts_what_the_configuration_makes_complete(project: Path, words: list[str]) -> None:
    assert "# examines one of these" in CliRunner().invoke(app, words).stdout
    (project / "pyproject.toml").write_text(TABLE)
    text = CliRunner().invoke(app, words).stdout
    assert "# examines 2 of these" in text
    assert "no default" not in text
    listed = json.loads(CliRunner().invoke(app, ["list", "--format", "json"]).stdout)
    assert ["joints"] in [each["needs"] for each in listed["environments"]]


def test_without_words_this_folder_is_looked_through(project: Path) -> None:
    assert without_folders(settings(), None, ["joints=3"])[0] == ("rob.arms:Arm", "rob.arms:Long")
    configured = settings('[tool.envdoctor]\nspecs = ["CartPole-v1"]\n')
    assert without_folders(configured, None, None) == (None, ())


def git(folder: Path, *words: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
    subprocess.run(("git", "-C", str(folder), *who, *words), check=True, timeout=60)


@pytest.fixture
def committed(project: Path) -> Path:
    (project / "src/rob/hand.py").write_text(ARMS.replace("Arm", "Hand").replace("Long", "Wide"))
    git(project, "init", "--quiet", "--initial-branch=main")
    git(project, "add", ".")
    git(project, "commit", "--quiet", "--message=first")
    return project


@needs_git
def test_since_leaves_what_changed(committed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    named = ["rob.arms:Arm", "src/rob/hand.py:Hand", "CartPole-v1", "no.such:Env"]
    (committed / "src/rob/hand.py").write_text(ARMS.replace("Arm", "Hand"))
    since = changes("main")
    assert since is not None
    assert without_folders(settings(), ["."], None, since)[0] == ("rob.hand:Hand",)
    subjects = settings().subjects(named, None, None, None)
    kept = [each.text for each in still_concerned(since, subjects, ())]
    assert kept == ["src/rob/hand.py:Hand", "CartPole-v1", "no.such:Env"]
    assert capsys.readouterr().err == (
        "envdoctor: not judged: rob.hand:Long: joints has no default: -k joints=...\n"
        "envdoctor: to examine these as well, list them in envdoctor.toml: [[subject]] with spec and"
        " kwargs\n"
        "envdoctor: 2 of 4 environments of . changed since main;"
        " `envdoctor list . --since main` names them\n"
        "envdoctor: 3 of 4 named environments are examined: the others have not changed since"
        " main\n"
    )
    listed = CliRunner().invoke(app, ["list", "--since", "main"]).stdout
    assert "rob.hand:Hand" in listed
    assert "rob.arms" not in listed
    assert "\nenvdoctor check . --since main  # examines one of these\n" in listed


@needs_git
def test_check_passes_where_nothing_changed(committed: Path) -> None:
    result = CliRunner().invoke(app, ["check", "--since", "main"])
    assert (result.exit_code, result.stdout.partition(";")[0]) == (0, "nothing was examined")
    listed = CliRunner().invoke(app, ["list", "--since", "main"])
    assert listed.stdout == "no environment changed since main in .\n"


@needs_git
def test_last_change_is_listed_first(committed: Path) -> None:
    assert next(each.spec for each in contents(Path()).environments) == "rob.arms:Arm"
    (committed / "src/rob/hand.py").write_text(ARMS.replace("Arm", "Hand"))
    assert next(each.spec for each in contents(Path()).environments) == "rob.hand:Hand"


def test_folder_without_an_environment_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(NothingToCheck, match="no environment found in"):
        without_folders(settings(), [str(tmp_path)], None)


def test_a_module_in_src_is_imported_from_there(project: Path) -> None:
    (subject,) = settings().subjects(["rob.arms:Arm"], None, None, None)
    assert subject.search_path == (str(project / "src"),)


def test_command_line_without_a_word_says_what_is_there(project: Path) -> None:
    result = CliRunner().invoke(app, [])
    assert result.exit_code == 0
    assert result.stdout == CliRunner().invoke(app, ["list"]).stdout + (
        "envdoctor --help  # all commands\n"
    )


def test_command_line_without_a_word_shows_few_of_many(project: Path) -> None:
    many = "\n".join(f"class Arm{number}(Arm): ..." for number in range(20))
    (project / "src" / "rob" / "more.py").write_text(f"from rob.arms import Arm\n{many}")
    lines = CliRunner().invoke(app, []).stdout.splitlines()
    assert lines[21] == "  ... and 12 more: `envdoctor list` shows all"


def test_command_line_without_a_word_and_without_a_project_is_help(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, [])
    assert (result.exit_code, result.stdout) == (0, CliRunner().invoke(app, ["--help"]).stdout)


def test_rows_that_fit_are_a_table() -> None:
    project = contents_of([SourceFile("a.py", ".", "a", ARMS)])
    assert as_text(project, Path(), 120).splitlines()[1:3] == [
        "  a.py:Arm   a.py:3  class, Gymnasium",
        "  a.py:Long  a.py:6  class, Gymnasium, joints has no default: -k joints=...",
    ]
    assert all(len(line) <= 40 for line in as_text(project, Path(), 40).splitlines()[:-1])
