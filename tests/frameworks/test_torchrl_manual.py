"""The commands of docs/torchrl.md, as they stand there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.frameworks.test_torchrl import PYTHON, needs_torchrl
from tests.support.zoo import examine, messages_of

MANUAL = Path(__file__).parents[2] / "docs" / "torchrl.md"
COMMANDS = re.findall(r"^envdoctor check (.+)$", MANUAL.read_text(), re.MULTILINE)


def test_there_are_commands() -> None:
    assert len(COMMANDS) == 2


@pytest.mark.everything
@needs_torchrl
@pytest.mark.parametrize("command", COMMANDS)
def test_command(command: str) -> None:
    exit_code, document = examine(*shlex.split(command), "--python", PYTHON)
    assert (exit_code, messages_of(document, "error", "warning")) == (0, [])
    if "--faults" in command:
        assert {fault["manager"] for fault in document["subjects"][0]["faults"]} == {
            "torchrl-parallel"
        }
