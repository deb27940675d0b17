"""SARIF as Microsoft's sarif-tools reads it: the package itself, not a notion of it."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import pytest

from envdoctor.reporters.sarif import render
from tests.reporters.sample import SAMPLE

TIMEOUT = 600  # seconds; it imports a plotting library


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sarif") / "envdoctor.sarif"
    path.write_text(render(SAMPLE))
    return path


def sarif(*words: object) -> str:
    command = [sys.executable, "-m", "sarif", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_its_table_has_every_result_with_code_place_and_line(file: Path) -> None:
    out = file.with_suffix(".csv")
    sarif("csv", file, "--output", out)
    with out.open(encoding="utf-8-sig", newline="") as table:
        rows = list(csv.DictReader(table))
    codes = {finding.code for finding in SAMPLE.findings}
    assert {row["Code"] for row in rows} == codes
    assert all(int(row["Line"]) >= 1 and row["Location"] for row in rows)


def test_its_filters_by_author_and_its_page_take_them_too(file: Path) -> None:
    filters = file.with_name("filter.yaml")
    filters.write_text("description: all\nconfiguration: {}\ninclude:\n  - level: /.*/\n")
    assert "error" in sarif("summary", "--filter", filters, file)
    page = file.with_suffix(".html")
    sarif("html", file, "--output", page)
    assert "CLS006" in page.read_text()
