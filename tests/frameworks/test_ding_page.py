"""docs/di-engine.md does what it says: its files are written, its commands run, and what it
shows is in what they print.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.frameworks.test_ding import PYTHON, needs_ding
from tests.support.zoo import COMMAND, PATIENCE

PAGE = Path(__file__).parents[2] / "docs" / "di-engine.md"

pytestmark = needs_ding


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)


def commands() -> list[tuple[str, list[str]]]:
    """Each command of the page, and the lines that it shows of the output."""
    found: list[tuple[str, list[str]]] = []
    for line in "".join(blocks("console")).splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            found[-1][1].append(line)
    return found


def squeezed(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.everything
@pytest.mark.parametrize(
    ("command", "shown"), commands(), ids=lambda value: value if isinstance(value, str) else ""
)
def test_a_command_of_the_page(command: str, shown: list[str], tmp_path: Path) -> None:
    for block in blocks("python"):
        name = block.splitlines()[0].removeprefix("# ")
        (tmp_path / name).write_text(block)
    environment = {
        **os.environ,
        "DING": PYTHON,
        "PATH": f"{COMMAND.parent}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": "80",
    }
    done = subprocess.run(
        command,
        shell=True,
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    printed = squeezed(done.stdout)
    missing = [line for line in shown if squeezed(line) not in printed]
    assert not missing, done.stdout + done.stderr[-2000:]


def test_the_page_has_commands() -> None:
    assert len(commands()) == 3
