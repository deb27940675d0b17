"""The pages that a newcomer reads first: their length and width, and the files that they name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs" / "internals").glob("*.md")),
    *sorted((ROOT / "docs" / "recipes").glob("*.md")),
]
WIDTH = 100
#: What a line cannot be broken in: code, a row of a table, the place of a recipe's block.
_UNBREAKABLE = re.compile(r"(?ms)^ *```.*?^ *```$|^\|[^\n]*$|^<!--.*?-->$")
_FILE = re.compile(r"`([\w./-]+(?:\.py|/))`")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_lines_fit_the_width(page: Path) -> None:
    lines = _UNBREAKABLE.sub("", page.read_text("utf-8")).splitlines()
    assert [line for line in lines if len(line) > WIDTH] == []


@pytest.mark.parametrize(("name", "most"), [("README.md", 100), ("ARCHITECTURE.md", 150)])
def test_first_pages_are_short(name: str, most: int) -> None:
    assert len((ROOT / name).read_text("utf-8").splitlines()) <= most


def test_files_that_are_named_exist() -> None:
    package = ROOT / "envdoctor"
    modules = {file.name for file in package.rglob("*.py")}
    named = {
        (page.name, name)
        for page in PAGES
        if "recipes" not in page.parts and page.name != "CHANGELOG.md"
        for name in _FILE.findall(page.read_text("utf-8"))
    }
    assert len(named) > 50
    missing = [
        (page, name)
        for page, name in sorted(named)
        if not ((ROOT / name).exists() or (package / name).exists() or name in modules)
    ]
    assert missing == []
