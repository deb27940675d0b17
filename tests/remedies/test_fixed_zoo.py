"""`--fix` in copies of the zoo: the sick environment is cured, its file is whole, and the healthy
twin is what it was.
"""

from __future__ import annotations

import ast
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.recorded import cures
from tests.support.zoo import Animal, animals, examine

FILES = Path(__file__).parents[1] / "envs"
SHOWN = ("CLS016",)  # code for few, which is not written
RAISING = {"HNG004": Counter(["API001"])}  # the call raises in place of waiting for ever
ZOO = [
    animal
    for animal in animals()
    if animal.code and animal.command != "watch" and cures.has_code(f"zoo/{animal}")
    if animal.code not in SHOWN
]
TWINS = {animal.file: animal for animal in animals() if animal.code is None}


def errors(document: dict[str, Any]) -> Counter[str]:
    return Counter(each["code"] for each in document["findings"] if each["severity"] != "note")


def twin(text: str) -> list[str]:
    """The syntax of what the healthy twin is called."""
    return [
        ast.dump(node)
        for node in ast.parse(text).body
        if getattr(node, "name", "").startswith("Healthy")
    ]


@pytest.mark.everything
@pytest.mark.parametrize("animal", ZOO, ids=str)
def test_fix_cures_the_zoo(animal: Animal, tmp_path: Path) -> None:
    if animal.python is None:
        pytest.skip(f"{animal.interpreter} names no Python")
    shutil.copytree(FILES, tmp_path, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__*__"))
    before = {path: path.read_text() for path in tmp_path.rglob("*.py")}
    words = (*animal.arguments, *animal.python)
    _, document = examine(animal.spec, *words, "--fix", cwd=tmp_path, command=animal.command)
    fixes = document["fixes"]
    assert animal.code in {each["code"] for each in fixes["cured"]}, fixes
    left = Counter(each["code"] for each in fixes["left"])  # some findings of a rule have no code
    assert errors(document)[str(animal.code)] <= left[str(animal.code)], document["findings"]
    known = RAISING.get(str(animal.code), Counter())
    assert not errors(document) - left - known
    changed = [path for path, text in before.items() if path.read_text() != text]
    assert {str(path) for path in changed} == {each["file"] for each in fixes["files"]}
    for path in changed:
        compile(path.read_text(), str(path), "exec")
    if any(twin(path.read_text()) != twin(before[path]) for path in changed):
        # The sick one inherits the line that was changed: its twin has to be as healthy as before.
        _, document = examine(TWINS[animal.file].spec, *words, cwd=tmp_path, command=animal.command)
        assert not errors(document), document["findings"]
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]
