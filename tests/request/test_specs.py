"""SPEC and -k texts, by values."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envdoctor.errors import UsageError
from envdoctor.model.subject import ATTRIBUTE, EITHER, FILE, ID, Subject
from envdoctor.request.specs import parse, parse_kwargs


def parsed(text: str, directory: str = "/nowhere") -> Subject:
    return parse(text, {}, (), directory)


@pytest.mark.parametrize(
    ("text", "form", "module", "name"),
    [
        ("CartPole-v1", ID, None, "CartPole-v1"),
        ("ALE/Breakout-v5", ID, None, "ALE/Breakout-v5"),
        ("highway_env:highway-v0", ID, "highway_env", "highway-v0"),
        ("pkg.envs:Arm", EITHER, "pkg.envs", "Arm"),
        ("pkg.envs:Arm.make", ATTRIBUTE, "pkg.envs", "Arm.make"),
    ],
)
def test_forms(text: str, form: str, module: str | None, name: str) -> None:
    subject = parsed(text)
    assert (subject.form, subject.module, subject.name) == (form, module, name)


def test_files(tmp_path: Path) -> None:
    (tmp_path / "arm.py").write_text("")
    subject = parsed("arm.py:Arm", str(tmp_path))
    assert (subject.form, subject.path, subject.name) == (FILE, str(tmp_path / "arm.py"), "Arm")
    assert parsed("arm.py", str(tmp_path)).name is None


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "a SPEC is empty"),
        ("rm.py", "no such file: rm.py; did you mean arm.py?"),
        ("arm.py:", "'' is not a name of a class"),
        ("pkg:", "nothing after the colon"),
        ("my pkg:Arm", "'my pkg' is not a module name"),
        ("./arm", "is not a Python file"),
    ],
)
def test_bad_specs_get_a_sentence(text: str, sentence: str, tmp_path: Path) -> None:
    (tmp_path / "arm.py").write_text("")
    with pytest.raises(UsageError, match=sentence.replace("?", r"\?")):
        parsed(text, str(tmp_path))


def test_kwargs_are_toml() -> None:
    assert parse_kwargs(["size=3", 'mode="human"', "grid=[1, 2]", "fast=true"]) == {
        "size": 3,
        "mode": "human",
        "grid": [1, 2],
        "fast": True,
    }


@pytest.mark.parametrize(
    "word",
    [
        "size",
        "=3",
        "size=",
        "mode=human",
        "a-b=1",
        "size=1\nb=2",
        "day=2026-01-01",
        "days=[2026-01-01]",
    ],
)
def test_bad_kwargs_get_a_sentence(word: str) -> None:
    with pytest.raises(UsageError, match="-k "):
        parse_kwargs([word])


@given(st.text(max_size=40))
def test_any_text_is_a_subject_or_a_sentence(text: str) -> None:
    try:
        assert Subject.from_dict(parsed(text).as_dict()) == parsed(text)
    except UsageError as error:
        assert str(error)


@given(st.lists(st.text(max_size=20), max_size=3))
def test_any_words_are_arguments_or_a_sentence(words: list[str]) -> None:
    try:
        parse_kwargs(words)
    except UsageError as error:
        assert str(error)
