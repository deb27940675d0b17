"""Notebooks: what is defined in one, and how a report shows itself there."""

from __future__ import annotations

import sys
import types

import pytest

import envdoctor
from envdoctor.api import ReadableReport, named
from envdoctor.errors import UsageError
from envdoctor.request.specs import parse


def cell(source: str, name: str, monkeypatch: pytest.MonkeyPatch) -> object:
    """What a cell of a notebook defines: __main__ has no file, and its code a number."""
    main = types.ModuleType("__main__")
    exec(compile(source, "<ipython-input-3-ab12>", "exec"), main.__dict__)
    monkeypatch.setitem(sys.modules, "__main__", main)
    return getattr(main, name)


@pytest.mark.parametrize(
    ("source", "name", "file"),
    [
        ("class Maze:\n    pass\n", "Maze", "maze.py"),
        ("def make():\n    pass\n", "make", "make.py"),
    ],
)
def test_what_a_cell_defines_is_told_how_to_reach_a_file(
    source: str, name: str, file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    defined = cell(source, name, monkeypatch)
    with pytest.raises(UsageError) as caught:
        named(defined)  # type: ignore[arg-type]
    assert f"{name} is defined in a notebook or a prompt" in str(caught.value)
    assert f"%%writefile {file}" in str(caught.value)


@pytest.mark.parametrize("spec", ["arm.ipynb", "notes/Arm.ipynb:Arm"])
def test_a_notebook_is_no_spec_and_the_sentence_says_what_is(spec: str) -> None:
    with pytest.raises(UsageError, match="is a notebook, whose cells another process cannot"):
        parse(spec, {}, (), "/")


def test_a_report_prints_as_the_screen_and_shows_itself_as_a_card() -> None:
    report = envdoctor.check("CartPole-v1", select=["REG002"], managers=["direct"])
    assert isinstance(report, ReadableReport)
    assert str(report) == envdoctor.render(report)
    assert "nothing found" in str(report)
    assert repr(report) == "<envdoctor.Report CartPole-v1: healthy, 0 findings>"
    assert report._repr_html_().startswith("<iframe srcdoc=")
