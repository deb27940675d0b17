"""The commands of docs/replay-memory.md say what the page says."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import pytest

from envdoctor.model.units import size
from tests.interpreters import way_to
from tests.live.test_storages import PYTHONS
from tests.support.zoo import examine

DOCS = Path(__file__).parents[2] / "docs"
EXAMPLES = re.findall(
    r"```sh\nenvdoctor leak ([^\n]*)\n```\n\n```text\n(.*?)```",
    (DOCS / "replay-memory.md").read_text(),
    re.DOTALL,
)


def test_the_page_has_its_examples() -> None:
    assert len(EXAMPLES) == 6


@pytest.mark.everything
@pytest.mark.parametrize(
    ("words", "shown"), EXAMPLES, ids=[words.split()[0] + words.split()[2] for words, _ in EXAMPLES]
)
def test_verdicts_on_the_page_match_the_command(words: str, shown: str) -> None:
    arguments = shlex.split(words)
    variable = PYTHONS[arguments[2].partition("-")[0]]
    if variable not in os.environ:
        pytest.skip(way_to(variable))
    exit_code, document = examine(
        *arguments, "--python", os.environ[variable], command="leak", cwd=DOCS / "examples"
    )
    codes = {
        finding["code"]
        for finding in document["findings"]
        if finding["severity"] in ("error", "warning")
    }
    assert codes == set(re.findall(r"^\w+ (BUF\d{3})", shown, re.MULTILINE))
    assert exit_code == (1 if codes else 0)
    if not codes:
        (storage,) = document["subjects"][0]["storages"]
        assert storage["verdict"] == "flat"
        assert size(storage["forecast"]["per_transition"]) in shown
