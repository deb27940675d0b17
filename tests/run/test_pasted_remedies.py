"""The code of a remedy is pasted as a user would, and the environment is examined again: the finding
is gone, and nothing new came.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.live.examining import CURED
from tests.support.pasting import paste
from tests.support.zoo import Animal, animals, examine

FILES = Path(__file__).parents[1] / "envs"
ZOO = [animal for animal in animals() if animal.code in CURED]
ENVS = Path(__file__).parents[1] / "remedies" / "envs"
# Without growth, which is followed for seconds; CLS and RUS tell of all that is taken.
SELECTED = ("--managers", "direct", "--select", "CLS,RUS,API,DET,HNG,MAK,PRC,SFX")


def findings(document: dict[str, Any]) -> Counter[str]:
    return Counter(finding["code"] for finding in document["findings"])


def cured(folder: Path, spec: str, code: str, *words: str) -> dict[str, Any]:
    """Paste what is printed for a finding and examine again; the finding."""
    words = words or SELECTED
    _, before = examine(spec, *words, cwd=folder)
    same = [finding for finding in before["findings"] if finding["code"] == code]
    for found in same:
        assert found["remedy_verified"], found["remedy"]
        assert "Verified" in found["remedy"]["text"]
    paste(folder, [line for found in same for line in found["remedy"]["commands"]])
    _, after = examine(spec, *words, "--no-try-remedies", cwd=folder)
    assert code not in findings(after), after["findings"]
    assert not findings(after) - findings(before), "nothing new"
    assert code in {one["code"] for one in after["passed"]}
    return same[0]


@pytest.mark.everything
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


#: Descriptors that are open after so many whole episodes of one instance.
PLAYED_ON = """
import os, whole_episodes
environment = whole_episodes.Records()
for episodes in (2, 20):
    for _ in range(episodes):
        environment.reset()
        while not environment.step(0)[3]:
            pass
    print(len(os.listdir("/proc/self/fd")))
environment.close()
print(len(os.listdir("/proc/self/fd")))
"""


@pytest.mark.everything
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_growth_at_the_end_of_each_episode_is_tried_over_several_of_them(tmp_path: Path) -> None:
    """Memory that only close() gives back is the last record, and a training closes once."""
    for name in ("whole_episodes.py", "plain.py"):
        shutil.copy(FILES / name, tmp_path)
    words = ("--managers", "direct", "--select", "LEK005")
    cured(tmp_path, "whole_episodes.py:Records", "LEK005", *words)
    done = subprocess.run(
        [sys.executable, "-c", PLAYED_ON],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
    )
    after_two, after_many, closed = map(int, done.stdout.split())
    assert after_two == after_many == closed + 1


@pytest.mark.everything
@pytest.mark.parametrize("animal", ZOO, ids=str)
def test_the_zoo(animal: Animal, tmp_path: Path) -> None:
    """Whatever the sick environments of the rules are told to paste."""
    for file in FILES.glob("*.py"):
        shutil.copy(file, tmp_path)
    words = (*animal.arguments, *(animal.python or ()))
    cured(tmp_path, animal.spec, str(animal.code), *words)


def test_untried_remedy_has_no_commands(tmp_path: Path) -> None:
    shutil.copy(ENVS / "arms.py", tmp_path)
    text = (tmp_path / "arms.py").read_text()
    _, document = examine(
        "arms.py:WithFolder", *SELECTED[:2], "--select", "CLS010", "--no-try-remedies", cwd=tmp_path
    )
    (found,) = document["findings"]
    assert found["remedy"]["commands"] == []
    assert found["remedy_verified"] is None
    assert (tmp_path / "arms.py").read_text() == text


@pytest.mark.everything
def test_a_cure_that_brings_something_new_is_words(tmp_path: Path) -> None:
    """Its thread looks at no flag for three seconds: to wait for it would make close() slow."""
    shutil.copy(ENVS / "arms.py", tmp_path)
    path = tmp_path / "arms.py"
    path.write_text(path.read_text().replace("time.sleep(0.02)", "time.sleep(3)"))
    _, document = examine("arms.py:Running", *SELECTED[:2], "--select", "CLS", cwd=tmp_path)
    found = next(one for one in document["findings"] if one["code"] == "CLS007")
    assert found["remedy_verified"] is False
    assert found["remedy"]["commands"] == []
