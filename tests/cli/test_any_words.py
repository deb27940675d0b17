"""Any words on the command line: a run, or a sentence and exit code 2; never a traceback of
ours, and nothing that acts on the terminal.
"""

from __future__ import annotations

import json
import os
import subprocess
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

import envdoctor.run.examine
from envdoctor.cli.main import app
from envdoctor.model.report import Report
from envdoctor.request.request import Request
from envdoctor.rules.engine.registry import catalogue
from envdoctor.verdict.triage import select_rules
from tests.reporters.reports import healthy
from tests.support.zoo import COMMAND, PATIENCE

#: What a shell can hand over: anything without a NUL; bytes that are no UTF-8 come as lone
#: surrogates.
TEXT = st.text(
    st.characters(exclude_characters="\0", exclude_categories=["Cs"])
    | st.sampled_from("\udc80\udcff"),
    max_size=40,
)
PIECES = st.lists(
    st.sampled_from(
        [
            "arm",
            ".py",
            ":",
            "~",
            "/",
            "..",
            "=",
            "[",
            "{",
            '"',
            "'",
            ",",
            "-",
            "_",
            "CLS",
            "006",
            "1e999",
            "nan",
            "0x",
            "all",
            " ",
            "\n",
            "\x1b[2J",
        ]
    ),
    max_size=8,
).map("".join)
WORD = TEXT | PIECES
OPTIONS = (
    "-k",
    "--import",
    "--script",
    "--python",
    "--select",
    "--ignore",
    "--managers",
    "--start-methods",
    "--fail-on",
    "--timeout",
    "--seed",
    "--jobs",
    "--memory-limit",
    "--format",
    "--cycles",
    "--time-budget",
)
ODD = (
    "a" * 300,
    "~nobody_of_that_name/arm.py",
    "[" * 3000,
    "\x1b]0;x\x07",
    "\udcff.py",
    "arm.py:\u202e",
)

quietly = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(autouse=True)
def _no_engine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Replace the engine: handle a request as it does before anything is played."""

    def examine(request: Request, *_: object) -> Report:
        select_rules(catalogue(), request.select, request.ignore)
        json.dumps([subject.as_dict() for subject in request.subjects])
        return healthy

    monkeypatch.setattr(envdoctor.run.examine, "examine", examine)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "arm.py").write_text("")


def answered(*words: str) -> Result:
    result = CliRunner().invoke(app, [word.replace("--output", "") for word in words])
    said = f"{words!r}: exit {result.exit_code}: {result.output}"
    assert result.exit_code in (0, 1, 2, 3, 4), said
    assert "Traceback" not in result.output, said
    assert not {
        character for character in result.stderr if unicodedata.category(character) in ("Cc", "Cf")
    } - {"\n"}, said
    return result


@quietly
@given(WORD)
@example("~nobody_of_that_name/arm.py")
@example("a" * 300 + ".py")
@example("-")
def test_any_spec(text: str) -> None:
    answered("check", "--", text)
    answered("explain", "--", text)


@quietly
@given(st.sampled_from(OPTIONS), WORD)
@example("-k", "a=" + "[" * 3000)
@example("-k", "a=1\nb=2")
@example("-k", "a=0x" + "f" * 5000)
@example("-k", "a=nan")
@example("--python", "~nobody_of_that_name/python")
@example("--script", "~nobody_of_that_name/train.py")
@example("--script", "a" * 300)
@example("--timeout", "inf")
@example("--seed", "9" * 40)
def test_any_value(option: str, text: str) -> None:
    command = "leak" if option in ("--cycles", "--time-budget") else "check"
    answered(command, "arm.py", f"{option}={text}" if option != "-k" else f"-k{text}")


@quietly
@given(st.lists(WORD, max_size=4))
def test_any_words(words: list[str]) -> None:
    answered(*words)


@pytest.mark.everything
@pytest.mark.parametrize(
    "make",
    [
        lambda text: ["check", text],
        lambda text: ["check", "arm.py", "-k", text],
        lambda text: ["explain", text],
    ],
)
def test_the_installed_command(make: Callable[[str], list[str]], tmp_path: Path) -> None:
    for text in ODD:
        words = [os.fsencode(word) for word in (COMMAND, *make(text))]
        done = subprocess.run(
            words, cwd=tmp_path, capture_output=True, timeout=PATIENCE, check=False
        )
        assert done.returncode in (1, 2), (text, done.stderr)
        assert b"Traceback" not in done.stderr
        assert b"bug" not in done.stderr, done.stderr
        assert b"\x1b" not in done.stdout + done.stderr
