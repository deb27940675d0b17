"""The table of vectorizers in docs/README.md says what their adapters say, which tests/frameworks
holds against the frameworks themselves.
"""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from envdoctor.frameworks import MANAGERS
from envdoctor.probe.adapters import modules

PAGE = Path(__file__).parents[2] / "docs" / "README.md"
NAMES = [name for name in MANAGERS if name != "direct"]
#: How many instances one launch of two hosts besides, in words.
BESIDES = {0: "none", 1: "1", 2: "2"}
#: Those of which one is built for each worker.
EACH = {"tianshou-shmem": "1 a worker"}


def rows() -> dict[str, list[str]]:
    """{vectorizer: its cells}."""
    lines = [line for line in PAGE.read_text().splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {row[0]: row[1:] for row in cells if row[0] in NAMES}


def cells_of(adapter: ModuleType) -> list[str]:
    """The cells that an adapter's own constants give."""
    _, known = adapter.EXPECTED[0]
    closed = "closed" if known.get("closes_hidden", True) else "never closed"
    besides = EACH.get(adapter.NAME, BESIDES[adapter.HIDDEN]) + (
        f", {closed}" if adapter.HIDDEN else ""
    )
    retries = "yes" if getattr(adapter, "RETRIES", False) else "no"
    return [besides, known["autoreset"], retries]


def test_every_vectorizer_has_its_row() -> None:
    assert sorted(rows()) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_row_says_what_the_adapter_says(name: str) -> None:
    adapter = modules()[name]
    row = rows()[name]
    assert row[:3] == cells_of(adapter)
    has_workers = bool(adapter.START_METHODS)
    _, known = adapter.EXPECTED[0]
    assert bool(row[3]) == has_workers
    assert (row[3] == "each") == bool(known.get("zombies"))
