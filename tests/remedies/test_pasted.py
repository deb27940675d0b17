"""The code of a remedy is pasted as a user would, and the environment is examined again: the finding
is gone, and nothing new came.
"""

from __future__ import annotations

import os
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.pasting import paste
from tests.test_zoo import CURED
from tests.zoo import Animal, animals, examine

FILES = Path(__file__).parents[1] / "envs"
#: All of it takes minutes: `make remedies` does so.
ZOO = [
    animal
    for animal in animals()
    if animal.code in CURED and os.environ.get("ENVDOCTOR_ALL_REMEDIES")
]
ENVS = Path(__file__).parent / "envs"
# Without growth, which is followed for seconds; CLS and RUS tell of all that is taken.
SELECTED = ("--managers", "direct", "--select", "CLS,RUS,API,DET,HNG,MAK,PRC,SFX")


def findings(document: dict[str, Any]) -> Counter[str]:
    return Counter(finding["code"] for finding in document["findings"])


def cured(folder: Path, spec: str, code: str, *words: str) -> dict[str, Any]:
    """Paste what is printed for a finding and examine again; the finding."""
    words = words or SELECTED
    _, before = examine(spec, *words, cwd=folder)
    found = next(finding for finding in before["findings"] if finding["code"] == code)
    assert found["remedy_verified"], found["remedy"]
    assert "Verified" in found["remedy"]["text"]
    paste(folder, found["remedy"]["commands"])
    _, after = examine(spec, *words, "--no-try-remedies", cwd=folder)
    assert code not in findings(after), after["findings"]
    assert not findings(after) - findings(before), "nothing new"
    assert code in {one["code"] for one in after["passed"]}
    return found


@pytest.mark.parametrize(
    ("name", "code", "says"),
    [
        ("WithFolder", "CLS010", "import shutil"),
        ("Running", "CLS007", "self.running = False"),
        ("Beating", "CLS007", "self.beat.stop()"),
        ("Deleting", "CLS003", 'getattr(self, "floor", None)'),
        ("Recording", "CLS006", "self.base.close()"),
    ],
)
def test_known_troubles(name: str, code: str, says: str, tmp_path: Path) -> None:
    shutil.copy(ENVS / "arms.py", tmp_path)
    found = cured(tmp_path, f"arms.py:{name}", code)
    assert says in "\n".join(found["remedy"]["commands"])


@pytest.mark.parametrize("animal", ZOO, ids=str)
def test_the_zoo(animal: Animal, tmp_path: Path) -> None:
    """Whatever the sick environments of the rules are told to paste."""
    for file in FILES.glob("*.py"):
        shutil.copy(file, tmp_path)
    words = (*animal.arguments, *(animal.python or ()))
    cured(tmp_path, animal.spec, str(animal.code), *words)


def test_what_is_not_tried_is_words(tmp_path: Path) -> None:
    shutil.copy(ENVS / "arms.py", tmp_path)
    text = (tmp_path / "arms.py").read_text()
    _, document = examine(
        "arms.py:WithFolder", *SELECTED[:2], "--select", "CLS010", "--no-try-remedies", cwd=tmp_path
    )
    (found,) = document["findings"]
    assert found["remedy"]["commands"] == []
    assert found["remedy_verified"] is None
    assert (tmp_path / "arms.py").read_text() == text


def test_a_cure_that_brings_something_new_is_words(tmp_path: Path) -> None:
    """Its thread looks at no flag for ten seconds: to wait for it would make close() slow."""
    shutil.copy(ENVS / "arms.py", tmp_path)
    path = tmp_path / "arms.py"
    path.write_text(path.read_text().replace("time.sleep(0.02)", "time.sleep(10)"))
    _, document = examine("arms.py:Running", *SELECTED[:2], "--select", "CLS", cwd=tmp_path)
    found = next(one for one in document["findings"] if one["code"] == "CLS007")
    assert found["remedy_verified"] is False
    assert found["remedy"]["commands"] == []
