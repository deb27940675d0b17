"""Each recipe of CONTRIBUTING.md, done in a copy of the repository: the files that it names are all
that it takes.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.project.recipes import ROOT, blocks, files

RECIPES = ("rule", "vectorizer", "format", "option")
PATIENCE = 600.0  # seconds for one command
#: The tests that notice what a recipe forgets.
WATCHFUL = (
    "tests/cli/test_signatures.py",
    "tests/project/test_architecture.py",
    "tests/project/test_docs_hosts.py",
    "tests/reporters/test_codes.py",
    "tests/reporters/test_formats.py",
    "tests/rules/test_profiles.py",
)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the repository in which all recipes were followed."""
    root = tmp_path_factory.mktemp("copy")
    for name in ("envdoctor", "docs", "tests"):
        shutil.copytree(
            ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__", "runs")
        )
    for name in ("pyproject.toml", "ARCHITECTURE.md", "CHANGELOG.md", "README.md"):
        shutil.copy(ROOT / name, root / name)
    for recipe in RECIPES:
        for block in blocks(recipe):
            block.write(root)
    return root


def run(copy: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-m", *words],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy)},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


@pytest.mark.parametrize("recipe", RECIPES)
def test_contributing_names_the_files_of_each_recipe(recipe: str) -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    _, _, rest = page.partition(f"](docs/recipes/{recipe}.md)")
    named = re.findall(r"(?m)^\d\. `([^`]+)`", rest.partition("\n#")[0])
    assert [name for name in files(recipe) if not any(map(matches(name), named))] == []
    assert [name for name in named if not any(matches(file)(name) for file in files(recipe))] == []


def matches(file: str) -> Callable[[str], bool]:
    """Says of a path with parts in <> whether it is the pattern of this file."""
    return lambda name: re.fullmatch(re.sub(r"<\w+>", r"[\\w]+", re.escape(name)), file) is not None


def test_additions_of_the_recipes_work_together(copy: Path) -> None:
    """The sensor and the rule, under the vectorizer, in the format, with the option: growth of what
    is left is another finding.
    """
    file = "tests/envs/cls023_close_leaves_log_handlers.py"
    done = run(
        copy,
        *("envdoctor", "check", f"{file}:Sick", f"{file}:Healthy"),
        *("--managers", "direct,carousel-turning", "--select", "CLS023,LEK", "--no-growth"),
        *("--no-try-remedies", "--format", "codes", "--report", "json=report.json"),
    )
    assert (done.stdout, done.returncode) == ("CLS023\n", 0), done.stderr
    report = json.loads((copy / "report.json").read_text("utf-8"))
    assert "carousel-turning" in {scenario["manager"] for scenario in report["scenarios"]}


def test_new_files_are_clean(copy: Path) -> None:
    new = [block.path for name in RECIPES for block in blocks(name) if block.kind == "file"]
    for command in (("check",), ("format", "--check")):
        done = run(copy, "ruff", *command, *new)
        assert done.returncode == 0, done.stdout


@pytest.mark.everything
def test_nothing_else_has_to_change(copy: Path) -> None:
    done = run(copy, "pytest", "-q", "-p", "no:cacheprovider", *WATCHFUL)
    assert done.returncode == 0, done.stdout[-3000:]
