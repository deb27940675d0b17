"""Words of options and arguments of programs: what they mean, or one sentence on what is wrong."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from envdoctor.config.reading import parse as read_config
from envdoctor.errors import UsageError
from envdoctor.frameworks import STORAGES
from envdoctor.model.actions import ActionSource
from envdoctor.model.subject import FILE, FUNCTION, Subject
from envdoctor.plan.leak_session import QUICK
from envdoctor.request import actions, arguments, choices
from envdoctor.request.options import Options
from envdoctor.request.settings import Settings, shown
from envdoctor.request.specs import parse, parse_kwargs, parse_script
from envdoctor.rules.engine.registry import all_rules


def sentence(call: Any, *words: Any) -> str:
    with pytest.raises(UsageError) as caught:
        call(*words)
    return str(caught.value)


def test_words_are_checked_one_by_one() -> None:
    known = ("red", "green", "blue")
    assert choices.several("color", ["red, blue", "red"], known) == ("red", "blue")
    assert choices.several("color", ["red", "all"], known) == known
    assert choices.several("color", None, known) == ()
    assert sentence(choices.several, "color", ["gren"], known) == (
        "no color is called 'gren'; did you mean green?"
    )
    assert sentence(choices.several, "color", ["x"], known) == (
        "no color is called 'x'; there are red, green, blue"
    )


def test_capacity_needs_a_storage() -> None:
    assert choices.storage_request((), None, 5.0) is None
    assert sentence(choices.storage_request, (), 100, 5.0) == (
        f"--capacity 100 is for a replay storage: name one, --storage {STORAGES[0]}"
        + "".join(f" or --storage {name}" for name in STORAGES[1:])
    )
    wish = choices.storage_request([STORAGES[0]], 100, 5.0)
    assert wish is not None
    assert (wish.names, wish.capacity, wish.seconds) == ((STORAGES[0],), 100, 5.0)


def test_function_goes_with_no_option_of_environments() -> None:
    subject = parse("train:once", {}, (), "/lab")
    assert choices.function(subject, None, ["direct"]) == replace(subject, kind=FUNCTION)
    assert sentence(choices.function, subject, None, ["gymnasium-sync"]) == (
        "--callable and --managers do not go together: a function has no workers"
    )
    wish = choices.storage_request([STORAGES[0]], None, 5.0)
    assert sentence(choices.function, subject, wish, []).startswith(
        "--callable and --storage do not go together"
    )
    assert sentence(choices.function, parse("Arm-v0", {}, (), "/lab"), None, []) == (
        "--callable Arm-v0: name a function, as package.module:function or path/to/file.py:function"
    )


def test_effort_is_quick_only_where_storages_alone_are_asked_about() -> None:
    stored = choices.storage_request([STORAGES[0]], None, 5.0)
    assert choices.effort(None, 5.0, False, None, stored) is QUICK
    saved = choices.effort(None, 5.0, False, Path("/lab/run.jsonl"), stored)
    assert (saved.save, saved.seconds) == ("/lab/run.jsonl", 5.0)
    asked = choices.effort(100, 5.0, True, None, None)
    assert (asked.cap, asked.thorough, asked.save) == (100, True, "")


@pytest.mark.parametrize(
    ("text", "number"),
    [("64M", 2**26), ("4G", 2**32), ("1.5gib", 3 * 2**29), (" 2 tb ", 2**41), ("524288k", 2**29)],
)
def test_sizes(text: str, number: int) -> None:
    assert choices.size("--memory-limit", text) == number


def test_size_without_unit_or_too_small_is_rejected() -> None:
    assert choices.size("--memory-limit", None) == 0
    assert "'400' is not a size; write it like 4G" in sentence(choices.size, "--memory", "400")
    assert "63M is less than Python" in sentence(choices.size, "--memory", "63M")


@pytest.mark.parametrize("word", ["CLS006", "cls006", "close-leaves-descriptors"])
def test_rules_have_a_code_and_a_name(word: str) -> None:
    assert choices.rule(word, all_rules()).code == "CLS006"


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("CLS6", "; did you mean CLS006?"),
        ("close-leaves-descriptor", "; did you mean close-leaves-descriptors?"),
        ("qqqqqq", "; `envdoctor rules` lists them"),
    ],
)
def test_unknown_rule_gets_the_nearest(word: str, hint: str) -> None:
    assert sentence(choices.rule, word, all_rules()) == f"no rule is called {word!r}{hint}"


def test_texts_of_a_program() -> None:
    assert arguments.texts("managers", ["a, b", "a"]) == ("a", "b")
    assert arguments.texts("managers", "a,b") == ("a", "b")
    assert arguments.texts("managers", None) == ()
    for wrong in (3, [3]):
        assert sentence(arguments.texts, "managers", wrong) == (
            f"managers={wrong!r}: it has to be a text, or a list of texts"
        )


def test_paths_of_a_program() -> None:
    assert arguments.text("save", Path("/lab/run.jsonl")) == "/lab/run.jsonl"
    assert arguments.text("save", "run.jsonl") == "run.jsonl"
    assert arguments.text("save", None) is None
    assert sentence(arguments.text, "save", 3) == "save=3: it has to be a text"


def test_numbers_of_a_program() -> None:
    assert arguments.seconds("timeout", 3) == 3.0
    assert arguments.integer("steps", 3, 1, 9) == 3
    for wrong in (True, "3"):
        assert sentence(arguments.seconds, "timeout", wrong) == (
            f"timeout={wrong!r}: it has to be a number of seconds, as 30 or 0.5"
        )
    for wrong in (True, 0, 10, 3.0):
        assert sentence(arguments.integer, "steps", wrong, 1, 9) == (
            f"steps={wrong!r}: it has to be a whole number from 1 to 9"
        )


def test_argument_of_a_constructor_that_needs_quotes_says_so() -> None:
    assert sentence(parse_kwargs, ["mode=human"]) == (
        "-k mode=human: 'human' is not a TOML value; a text needs quotes: -k 'mode=\"human\"'"
    )
    assert sentence(parse_kwargs, ["mode=["]) == "-k mode=[: '[' is not a TOML value"
    assert sentence(parse_kwargs, ["a=1", "a=2"]) == "-k a is given twice"


def test_script_and_its_arguments(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text("")
    assert parse_script("train.py --seed 1", str(tmp_path)) == (str(script), ("--seed", "1"))
    assert parse_script(str(script), "/nowhere") == (str(script), ())
    assert parse_script(None, "/nowhere") == ("", ())
    assert sentence(parse_script, "'train.py", str(tmp_path)) == (
        "--script 'train.py: its quotes are not closed"
    )
    assert sentence(parse_script, "trian.py", str(tmp_path)).endswith("did you mean train.py?")


def test_action_that_cannot_be_handed_on_is_rejected() -> None:
    assert actions.of_toml("--action", "[1, 2]") == ActionSource("[1, 2]", [1, 2])
    assert sentence(actions.of_toml, "--action", "2026-01-01").startswith(
        "invalid --action 2026-01-01: expected texts, numbers, lists and tables"
    )
    assert sentence(actions.of_toml, "--action", "hold") == (
        "invalid --action 'hold': expected a TOML value; a text needs quotes: '\"hold\"'"
    )


def test_function_of_actions_is_found_from_the_folder_of_the_configuration(tmp_path: Path) -> None:
    (tmp_path / "play.py").write_text("")
    config = read_config('[tool.envdoctor]\nactions = "play.py:act"\n', "pyproject.toml")
    source = actions.chosen(Settings(config, frozenset(), str(tmp_path)), "Arm-v0", Options())
    assert source is not None
    assert (source.name, source.path) == ("act", str(tmp_path / "play.py"))
    assert source.directory == str(tmp_path)


def test_path_is_shown_as_the_user_would_type_it_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert shown(tmp_path / "lab" / "baseline.toml") == Path("lab/baseline.toml")
    assert shown(Path("/elsewhere/baseline.toml")) == Path("/elsewhere/baseline.toml")


def test_home_of_a_subject_decides_its_form(tmp_path: Path) -> None:
    (tmp_path / "arm.py").write_text("")
    assert parse("arm.py:Arm", {}, (), str(tmp_path)) == Subject(
        "arm.py:Arm", FILE, name="Arm", path=str(tmp_path / "arm.py"), directory=str(tmp_path)
    )


def test_folder_that_cannot_be_written_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = tmp_path / "runs" / "today"
    assert choices.folder("--out", None) is None
    assert choices.folder("--out", inner) == inner
    monkeypatch.setattr(choices.os, "access", lambda *_: False)
    assert sentence(choices.folder, "--out", inner).endswith(f"{tmp_path} may not be written")
    file = tmp_path / "file"
    file.touch()
    assert sentence(choices.folder, "--out", file / "x").endswith(f"{file} is not a directory")
