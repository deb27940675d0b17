"""Origin of changes to the whole process: the line, or the library whose import made them."""

from __future__ import annotations

import builtins
import json
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from envdoctor.probe.journal import Journal
from envdoctor.probe.tracing.effects import EffectSearch, changes
from envdoctor.probe.tracing.importing import Imports

VARIABLE = "ENVDOCTOR_TEST_EFFECT"


def reading() -> dict[str, Any]:
    return {"environment": {VARIABLE: os.environ[VARIABLE]} if VARIABLE in os.environ else {}}


@pytest.fixture(autouse=True)
def unset(monkeypatch):
    monkeypatch.setenv(VARIABLE, "")
    monkeypatch.delenv(VARIABLE)


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Write modules, and import one of them."""
    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(sys.modules)

    def load(**texts: str) -> ModuleType:
        for name, text in texts.items():
            (tmp_path / f"{name}.py").write_text(text)
        return __import__(next(iter(texts)))

    yield load
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]


def found(call, folder: Path) -> list[tuple[str, int]]:
    told: list[tuple[str, int]] = []
    search = EffectSearch(
        reading,
        lambda file: file.startswith(str(folder)),
        lambda change, frame: told.append((change["key"], frame["line"])),
    )
    tracing = sys.gettrace()
    search.start()
    try:
        call()
    finally:
        search.stop()
        sys.settrace(tracing)
    return told


def test_the_line_is_found_also_when_a_library_does_it(load, tmp_path):
    text = (
        f"import os\n\n\ndef inner():\n    os.environ['{VARIABLE}'] = '1'\n\n\ndef outer():\n    x"
        " = 1\n    inner()\n    return x\n"
    )
    module = load(effects_line=text)
    assert found(module.outer, tmp_path) == [(VARIABLE, 5)]


def test_change_after_a_call_returned_belongs_to_the_line_that_called(load, tmp_path):
    text = (
        "import os\n\n\ndef display():\n    return '1'\n\n\ndef fails():\n    raise KeyError\n\n\n"
        "def outer():\n"
        f"    os.environ['{VARIABLE}'] = display()\n"
        "    try:\n        fails()\n    except KeyError:\n"
        f"        os.environ['{VARIABLE}'] = '2'\n"
        f"    os.environ.update({VARIABLE}=next(display() + '3' for _ in 'a'))\n"
    )
    module = load(effects_caller=text)
    assert found(module.outer, tmp_path) == [(VARIABLE, 13), (VARIABLE, 17), (VARIABLE, 18)]


def test_effect_outside_the_lines_of_the_subject_is_not_reported(load, tmp_path):
    module = load(effects_calm="def calm():\n    return 1\n")

    def call() -> None:
        module.calm()
        os.environ[VARIABLE] = "1"
        module.calm()

    assert found(call, tmp_path) == []


def test_a_generator_that_appears_is_no_change():
    assert list(changes({"random": {}}, {"random": {"torch": "state 1"}})) == []
    assert [
        change["new"]
        for change in changes({"random": {"torch": "state 1"}}, {"random": {"torch": "state 2"}})
    ] == ["state 2"]


def told_by(journal: Path) -> list[dict[str, Any]]:
    lines = (
        [json.loads(line) for line in journal.read_text().splitlines()] if journal.exists() else []
    )
    return [change for line in lines if line.get("key") == "imported" for change in line["value"]]


def test_a_library_that_sets_a_variable_is_named_with_the_line_that_imports_it(load, tmp_path):
    journal = tmp_path / "journal"
    with Imports(reading, frozenset, Journal(str(journal))):
        load(
            effects_subject="x = 1\nimport effects_library\n",
            effects_library=f"import os\nos.environ['{VARIABLE}'] = '1'\n",
        )
    [change] = told_by(journal)
    assert (change["by"], change["place"]["line"], Path(change["place"]["file"]).name) == (
        "effects_library",
        2,
        "effects_subject.py",
    )
    assert builtins.__import__.__name__ == "__import__"


def test_a_framework_answers_for_what_it_imports(load, tmp_path, monkeypatch):
    monkeypatch.delitem(sys.modules, "ding", raising=False)
    journal = tmp_path / "journal"
    with Imports(reading, frozenset, Journal(str(journal))):
        load(
            effects_user="import ding\n",
            ding="import effects_part\n",
            effects_part=f"import os\nos.environ['{VARIABLE}'] = '1'\n",
        )
    assert [change["by"] for change in told_by(journal)] == ["ding"]


def test_an_import_that_fails_is_reported_and_raises(load, tmp_path):
    journal = tmp_path / "journal"
    text = f"import os\nos.environ['{VARIABLE}'] = '1'\nraise RuntimeError('no licence')\n"
    with (
        pytest.raises(RuntimeError, match="no licence"),
        Imports(reading, frozenset, Journal(str(journal))),
    ):
        load(effects_failing=text)
    assert [change["by"] for change in told_by(journal)] == ["effects_failing"]
    assert builtins.__import__.__name__ == "__import__"
