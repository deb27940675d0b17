"""Notebooks: what is defined in one, and how a report shows itself there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import pytest

import envdoctor
from envdoctor.api import ReadableReport, named
from envdoctor.errors import UsageError
from envdoctor.request.specs import parse
from tests.interpreters import way_to
from tests.support.zoo import ENVS, PATIENCE, PROGRAMS

JUPYTER = "ENVDOCTOR_JUPYTER_PYTHON"


def cell(source: str, name: str, monkeypatch: pytest.MonkeyPatch) -> object:
    """Define a name as a cell of a notebook does: __main__ has no file, and the code of the cell
    has a number.
    """
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
def test_class_defined_in_a_cell_gets_a_writefile_hint(
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


def test_an_instance_is_refused_by_name() -> None:
    with pytest.raises(UsageError, match="this is an instance of Maze: hand over its class"):
        envdoctor.check(type("Maze", (), {"reset": print, "step": print})())


#: A class in a cell; the same in a file, examined by its class; and what the report shows.
CELLS = (
    f"import sys; sys.path.insert(0, {str(Path(envdoctor.__file__).parents[1])!r}); import envdoctor",
    "class Maze:\n    def reset(self, seed=None): ...\n    def step(self, action): ...",
    "envdoctor.check(Maze)",
    "%%writefile maze.py\n" + (ENVS / "plain.py").read_text() + "\n\nMaze = Plain\n",
    "from maze import Maze",
    "report = envdoctor.check(Maze, managers='direct', select='CLS001', try_remedies=False)",
    "print(report)",
    "report",
)


def shown_in_jupyter(folder: Path) -> list[list[dict[str, Any]]]:
    python = os.environ.get(JUPYTER)
    if python is None:
        pytest.skip(way_to(JUPYTER))
    cells = folder / "cells.json"
    cells.write_text(json.dumps(CELLS))
    done = subprocess.run(
        [python, str(PROGRAMS / "notebook.py"), str(folder), str(cells)],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: list[list[dict[str, Any]]] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_in_a_kernel_of_jupyter(tmp_path: Path) -> None:
    imported, defined, refused, _, found, examined, printed, shown = shown_in_jupyter(tmp_path)
    assert imported == defined == found == examined == []
    (error,) = refused
    assert error["ename"] == "UsageError"
    assert error["evalue"].startswith("Maze is defined in a notebook or a prompt")
    (text,) = printed
    assert text["name"] == "stdout"
    assert "passed: nothing found" in text["text"]
    (card,) = shown
    assert card["data"]["text/plain"].startswith("<envdoctor.Report maze:")
    assert card["data"]["text/html"].startswith("<iframe srcdoc=")
