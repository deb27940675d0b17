"""Environments of dm_env and of PettingZoo in a training: counted once each, with their wrappers,
by stand-ins of both libraries, and with the libraries where an interpreter has them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from envdoctor.starting import JOURNAL
from envdoctor.watch.boot_folder import environment, write_boot
from envdoctor.watch.pages import JournalFile, PageReport, instances, read_pages
from tests.interpreters import way_to

LIBRARY = Path(__file__).parent / "library"
AGENTS = Path(__file__).parent / "agents"
REAL = os.environ.get("ENVDOCTOR_SHAPES_PYTHON", "")
PATIENCE = 600  # seconds


@pytest.mark.parametrize("real", [False, True], ids=["stand-in", "library"])
@pytest.mark.parametrize("name", ["dm_env", "pettingzoo"])
def test_each_is_counted_once(tmp_path: Path, name: str, real: bool) -> None:
    if real and not REAL:
        pytest.skip(way_to("ENVDOCTOR_SHAPES_PYTHON"))
    write_boot(tmp_path)
    theirs = {**os.environ, "PYTHONPATH": "" if real else str(LIBRARY)}
    done = subprocess.run(
        [REAL if real else sys.executable, "-B", str(AGENTS / f"plays_{name}.py")],
        env=environment(tmp_path, theirs),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    own: Counter[str] = Counter()
    for line in done.stdout.splitlines():
        own.update(json.loads(line))
    assert counted(tmp_path) == own
    assert '"failed"' not in (tmp_path / JOURNAL).read_text()


def counted(folder: Path) -> Counter[str]:
    """Return the counts of the pages, in all processes."""
    told, journal = PageReport(), JournalFile(folder)
    told.take(journal.read())
    journal.close()
    found: Counter[str] = Counter()
    for counts in read_pages(folder):
        for one in instances(counts, told):
            assert one.again == one.raised == 0
            assert one.closes == (not one.type.endswith(".Arm"))
            if one.number:
                assert one.location is not None
                assert Path(one.location.file).parent == AGENTS
            found.update(made=one.made, resets=one.reset.ended, steps=one.step.ended)
            found.update(closed=one.closed)
    return found
