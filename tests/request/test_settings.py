"""The configuration and the options as one: what wins, and where an error says that it stands."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from envdoctor.config.reading import parse
from envdoctor.errors import UsageError
from envdoctor.model.subject import Subject
from envdoctor.request import choices
from envdoctor.request.argument_sets import for_probe, spec_of
from envdoctor.request.settings import Settings
from envdoctor.request.specs import parse as parse_spec

TEXT = """\
[tool.envdoctor]
timeout = 5
memory-limit = "4Q"

[tool.envdoctor.environments."lab/*"]
timeout = 60

[tool.envdoctor.environments."lab/Walker-v0"]
managers = ["gymnasium-sink"]
"""


def settings(*given: str, text: str = TEXT) -> Settings:
    return Settings(parse(text, "pyproject.toml"), frozenset(given), "/lab")


def own(spec: str, *given: str, text: str = TEXT) -> dict[str, object]:
    subject = parse_spec(spec, {}, (), "/lab")
    return settings(*given, text=text).overrides([subject]).get(spec, {})


def test_command_line_wins_over_the_configuration() -> None:
    assert settings().pick("timeout", 30) == 5
    assert settings("timeout").pick("timeout", 30) == 30
    assert settings().pick("seed", 7) == 7
    assert Settings(None, frozenset(), "/lab").pick("timeout", 30) == 30


def test_value_of_one_environment_wins_over_that_of_all() -> None:
    assert settings().pick_for("timeout", "lab/Arm-v0", 30) == 60
    assert settings().pick_for("timeout", "CartPole-v1", 30) == 5
    assert settings("timeout").pick_for("timeout", "lab/Arm-v0", 30) == 30


def test_overrides_are_those_of_the_environment_that_the_command_line_did_not_set() -> None:
    assert own("lab/Arm-v0") == {"timeout": 60.0}
    assert own("lab/Arm-v0", "timeout") == {}
    assert own("CartPole-v1") == {}


def test_error_names_the_line_of_the_environment() -> None:
    with pytest.raises(UsageError, match=r"^pyproject\.toml:9: .*gymnasium-sink"):
        own("lab/Walker-v0")


def test_error_names_the_line_of_the_key() -> None:
    with pytest.raises(UsageError, match=r"^pyproject\.toml:3: .*4Q"):
        settings().memory(None)


def test_error_of_the_command_line_names_no_line() -> None:
    with pytest.raises(UsageError, match=r"^invalid size '5X'|^--memory-limit"):
        settings("memory-limit").memory("5X")


def test_interpreter_is_an_absolute_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    python = tmp_path / "bin" / "mypython"
    python.parent.mkdir()
    python.symlink_to(sys.executable)
    monkeypatch.setenv("PATH", str(python.parent), prepend=os.pathsep)
    monkeypatch.chdir(tmp_path)
    assert choices.interpreter("mypython") == str(python)
    assert choices.interpreter("bin/mypython") == str(python)
    assert choices.interpreter(None) is None


def test_interpreter_that_is_a_folder_or_missing_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=f"did you mean {tmp_path}/bin/python"):
        choices.interpreter(str(tmp_path))
    with pytest.raises(UsageError, match="--python nopython: no executable of that name"):
        choices.interpreter("nopython")


def test_interpreter_of_the_configuration_is_relative_to_its_folder(tmp_path: Path) -> None:
    (tmp_path / "python").symlink_to(sys.executable)
    config = parse('[tool.envdoctor]\npython = "./python"\n', "pyproject.toml")
    found = Settings(config, frozenset(), str(tmp_path)).python(None)
    assert found == str(tmp_path / "python")


def test_environments_of_the_configuration_are_examined_where_none_is_named() -> None:
    listed = settings(text='[tool.envdoctor]\nspecs = ["CartPole-v1"]\n')
    assert [subject.text for subject in listed.subjects((), (), (), None)] == ["CartPole-v1"]
    assert [subject.text for subject in listed.subjects(("Walker-v0",), (), (), None)] == [
        "Walker-v0"
    ]


SETS = """\
[[tool.envdoctor.subject]]
spec = "lab:Maze"
kwargs = { size = 3 }
import = ["lab.plugins"]

[[tool.envdoctor.subject]]
spec = "lab:Maze"
kwargs = { size = 5, kind = "closed" }
timeout = 9
"""


def sets(*words: str, named: tuple[str, ...] = ("lab:Maze",)) -> list[tuple[str, str, object]]:
    subjects = settings(text=SETS).subjects(named, words, None, None)
    return [(spec_of(each), each.text, dict(each.kwargs)) for each in subjects]


def test_spec_stands_for_all_its_sets_of_arguments() -> None:
    both = [
        ("lab:Maze", "lab:Maze(size=3)", {"size": 3}),
        ("lab:Maze", 'lab:Maze(size=5, kind="closed")', {"size": 5, "kind": "closed"}),
    ]
    assert sets() == sets(named=()) == both
    subjects = settings(text=SETS).subjects((), (), None, None)
    assert [each.imports for each in subjects] == [("lab.plugins",), ()]
    assert settings(text=SETS).overrides(subjects) == {both[1][1]: {"timeout": 9.0}}


def test_arguments_of_the_command_line_choose_a_set_or_are_one_of_their_own() -> None:
    assert sets("size=3") == [("lab:Maze", "lab:Maze(size=3)", {"size": 3})]
    assert sets("size=4") == [("lab:Maze", "lab:Maze", {"size": 4})]


def test_command_for_one_environment_asks_which_set_is_meant() -> None:
    with pytest.raises(UsageError) as caught:
        settings(text=SETS).subject("lab:Maze")
    assert str(caught.value) == (
        "lab:Maze is listed with 2 sets of arguments: name one of them, as -k size=3, or"
        " -k size=5 -k 'kind=\"closed\"'"
    )
    assert settings(text=SETS).subject("lab:Maze", ("size=3",)).text == "lab:Maze(size=3)"


def test_probe_gets_the_spec_and_a_saved_run_the_name() -> None:
    subject = settings(text=SETS).subject("lab:Maze", ("size=3",))
    assert for_probe(subject) == parse_spec(
        "lab:Maze", {"size": 3}, ("lab.plugins",), subject.directory
    )
    assert Subject.from_dict(subject.as_dict()).text == "lab:Maze(size=3)"
    plain = parse_spec("lab:Maze", {}, (), "/lab")
    assert for_probe(plain) is plain
