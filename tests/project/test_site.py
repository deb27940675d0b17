"""The structure of the site: which pages it has, their order, their languages and versions."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]

FILES = {
    "README.md": "# tool\n[all](docs/README.md) [code](src/) [elsewhere](https://example.org/a.md)",
    "docs/README.md": (
        "# All\n[maze](maze.py)\n## Start\n[usage](usage.md#first)\n"
        "## Rules\n[rules](rules/README.md) [usage](usage.md) `[not](a-link.md)`\n## Code\n[x](maze.py)"
    ),
    "docs/usage.md": "# Usage\n```\n[not](a-link.md)\n```\n[more](more.md)",
    "docs/more.md": "# More\n[back](../README.md)",
    "docs/rules/README.md": "# Rules\n[A1](A1.md) [all](../README.md) [more](../more.md)",
    "docs/rules/A1.md": "# A1",
}


@pytest.fixture(scope="module")
def structure() -> ModuleType:
    spec = importlib.util.spec_from_file_location("structure", ROOT / "docs/site/structure.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_site_has_each_file_that_the_first_page_leads_to(structure: ModuleType) -> None:
    files = structure.reachable("README.md", FILES.__getitem__)
    assert sorted(files) == sorted([*FILES, "docs/maze.py"])


def test_navigation_follows_the_list_of_all_pages(structure: ModuleType) -> None:
    assert structure.navigation(FILES, FILES.__getitem__) == [
        "README.md",
        {"Start": ["docs/usage.md"]},
        {"Rules": [{"Rules": ["docs/rules/README.md", "docs/rules/A1.md"]}]},
        {"Project": ["docs/README.md", "docs/more.md"]},
    ]


def test_every_page_of_the_documentation_is_in_the_site(structure: ModuleType) -> None:
    pages = {file.relative_to(ROOT).as_posix() for file in (ROOT / "docs").rglob("*.md")}
    assert pages - set(structure.reachable("README.md", structure._read)) == set()


def test_all_that_pages_lead_to_are_files(structure: ModuleType) -> None:
    """A link to a folder ends with a slash: the site has none."""
    files = structure.reachable("README.md", structure._read)
    assert [file for file in files if not (ROOT / file).is_file()] == []


@pytest.mark.parametrize(
    ("page", "language", "expected"),
    [
        ("docs/tutorials/lazy-reset.md", "zh", "docs/zh/lazy-reset.md"),
        ("docs/zh/lazy-reset.md", "en", "docs/tutorials/lazy-reset.md"),
        ("docs/zh/lazy-reset.md", "zh", "docs/zh/lazy-reset.md"),
        ("docs/zh/README.md", "en", "README.md"),
        ("docs/watch.md", "zh", "docs/zh/README.md"),
        ("README.md", "en", "README.md"),
    ],
)
def test_a_tutorial_leads_to_its_translation(
    structure: ModuleType, page: str, language: str, expected: str
) -> None:
    assert structure.counterpart(page, language) == expected


def test_newest_version_is_first(structure: ModuleType) -> None:
    named = [each["version"] for each in structure.versions(["0.9.0", "0.10.0", "0.2.1"])]
    assert named == ["0.10.0", "0.9.0", "0.2.1"]


def test_a_page_keeps_its_text_without_links_to_folders(structure: ModuleType) -> None:
    text = "[a](x/), [b](y.md), [c](https://example.org/)\n```python file=z.py\n```"
    assert (
        structure.on_page_markdown(text)
        == "a, [b](y.md), [c](https://example.org/)\n```python\n```"
    )
