"""One figure for each leak: in company, in `check` and in `leak`, and as a long run measures it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.company.building import source
from tests.company.catalogue import BY_NAME
from tests.company.playing import FILE, SPEC
from tests.support.zoo import examine

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")

#: Illnesses with a known size, and the operation that takes it.
PLANTED = {
    "ListPerStep": "step",
    "MallocPerReset": "reset",
    "TrailPerStep": "step",
    "MallocPerStep": "step",
}
COMPANIES = (("ListPerStep", "MallocPerReset", "TrailPerStep"), ("MallocPerStep",))
SLACK = 0.05

#: What every million of calls takes of memory, as the kernel sees it after a long run.
LONG_RUN = """
import resource
from sick import Sick

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()

def play(episodes):
    for _ in range(episodes):
        environment.reset()
        for _ in range(10):
            environment.step(0)

environment = Sick()
play(200)
before = resident()
play(15_000)
print(resident() - before)
"""


def measured(name: str, folder: Path) -> float:
    """Bytes that one call of an illness takes, over 15,000 episodes without envdoctor."""
    folder.mkdir()
    (folder / FILE).write_text(source((name,)))
    words = [sys.executable, "-c", LONG_RUN]
    done = subprocess.run(
        words, cwd=folder, capture_output=True, text=True, timeout=240, check=True
    )
    return int(done.stdout) / {"step": 150_000, "reset": 15_000}[PLANTED[name]]


def told(name: str, document: dict[str, Any]) -> float:
    """Bytes that one call takes, as the finding on an illness has it."""
    (evidence,) = (
        finding["evidence"]
        for finding in document["findings"]
        if BY_NAME[name].is_shown_by(finding)
    )
    assert set(evidence["per_operation"]) == {PLANTED[name]}
    return float(evidence["bytes_per_call"])


@pytest.mark.everything
@pytest.mark.parametrize("names", COMPANIES, ids="-".join)
def test_amounts_are_right_and_the_same_in_both_commands(
    names: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / FILE).write_text(source((*names, "DescriptorPerReset")))
    truths = {name: measured(name, tmp_path / name) for name in names}
    for command in ("check", "leak"):
        _, document = examine(SPEC, "--managers", "direct", cwd=tmp_path, command=command)
        figures = {name: told(name, document) for name in names}
        assert figures == pytest.approx(truths, rel=SLACK), command
        (descriptors,) = (
            finding["evidence"]["per_operation"]
            for finding in document["findings"]
            if finding["code"] == "LEK005"
        )
        assert descriptors == {"reset": 1.0}
