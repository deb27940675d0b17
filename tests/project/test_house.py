"""What `make house` counts only goes down: the figures stand in ARCHITECTURE.md."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from tests.project.house import FOREIGN, TITLES, Source, codes, frameworks, places, scenario_names

ARCHITECTURE = Path(__file__).parents[2] / "ARCHITECTURE.md"


@cache
def found() -> dict[str, list[str]]:
    """Where each figure is counted; not while tests are collected, which every worker does."""
    return places()


def written(title: str) -> int:
    """The figure of today in the table."""
    line = next(line for line in ARCHITECTURE.read_text().splitlines() if f"| {title} |" in line)
    return int(line.rstrip(" |").rsplit("|", 1)[1].replace(",", ""))


@pytest.mark.parametrize("name", TITLES)
def test_each_figure_is_that_of_the_table(name: str) -> None:
    """A lower one is written down, so that it stays."""
    assert len(found()[name]) == written(TITLES[name]), "\n".join(found()[name][:20])


@pytest.mark.parametrize("name", ["codes", "scenarios", "pairs"])
def test_what_is_gone_stays_gone(name: str) -> None:
    assert found()[name] == []


@pytest.mark.parametrize(
    ("count", "text", "number"),
    [
        (codes, 'if finding.code == "CLS006" or "use API012" in text: pass', 2),
        (codes, '"""CLS006 in words."""', 0),
        (scenario_names, 'played.scenario.name == "life" and scenario.name in NAMES', 2),
        (scenario_names, 'self.scenario.name.startswith("leak")', 1),
        (scenario_names, "trace.scenario.name == name", 0),
        (frameworks, 'CLASSES = {"sb3-dummy": 1}\nimport torchrl', 1),
        (frameworks, '"""TorchRL in words."""  # and gymnasium\nwondering = 1', 0),
        (frameworks, "def _shown():\n    return 'ding'\nEXAMPLES = (_shown(),)", 0),
        (frameworks, "def _shown():\n    return 'ding'\nused = _shown()", 1),
    ],
)
def test_what_is_counted(count: object, text: str, number: int) -> None:
    assert callable(count)
    assert len(list(count(Source("rules/engine/some.py", text)))) == number


def test_no_key_of_ours_is_called_a_frameworks() -> None:
    """What is counted apart is in an adapter's own folder, and is read there."""
    assert all(re.fullmatch(r"probe/adapters/\w+/\w+\.py", name) for name in FOREIGN)
    read = {tuple(re.split(r":\d+: ", place)) for place in found()["foreign"]}
    assert read == {(name, key) for name, keys in FOREIGN.items() for key in keys}


def test_the_script_says_what_it_counts() -> None:
    text = ARCHITECTURE.read_text()
    assert "make house" in text
    assert all(re.search(rf"\| {re.escape(title)} \|", text) for title in TITLES.values())
