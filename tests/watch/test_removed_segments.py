"""Shared memory that another process removed, and healthy uses beside it."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from multiprocessing import resource_tracker, shared_memory
from pathlib import Path
from typing import Any

import pytest

from envdoctor.model.errors import Frame
from envdoctor.model.finding import Location
from envdoctor.model.training import Training, TrainingProcess
from envdoctor.model.training_aims import MendFailure
from envdoctor.model.training_files import MAKES, OPENS, REMOVES, SegmentUse
from envdoctor.model.training_instances import Raised
from envdoctor.rules.evidence.removed_segments import cure_of, removal, words_of
from envdoctor.rules.evidence.training_deaths import TrainingDeath
from envdoctor.rules.remedies.training_failures import mend_death

SIMULATOR, PLANNER = 2, 3
MADE = SegmentUse(SIMULATOR, MAKES, "/state", Location("/sim.py", 9, "main"), tracker=20)
OPENED = SegmentUse(PLANNER, OPENS, "/state", Location("/plan.py", 13, "main"), tracker=30)
ERROR = Raised("FileNotFoundError", "[Errno 2] No such file or directory: '/state'", at=5.0)


def removed(*uses: SegmentUse, ended: float | None = 4.0, error: Raised = ERROR) -> str:
    """The sentence on what removed the segment that the simulator misses, or nothing."""
    processes = (TrainingProcess(1), TrainingProcess(2, 1), TrainingProcess(3, 1, ended=ended))
    training = Training((), 1, processes=processes, segments=uses)
    assert Training.from_dict(training.as_dict()) == training
    use = removal(training, error, SIMULATOR)
    return words_of(use) if use is not None else ""


def test_process_that_opened_it_and_ended_had_it_removed() -> None:
    assert "had opened it at plan.py:13 in main() and ended before" in removed(MADE, OPENED)
    assert "track=False" in cure_of(OPENED)


def test_program_that_opened_it_is_to_leave_it_to_its_maker() -> None:
    missed = replace(ERROR, location=Location("/sim.py", 48, "close"))
    process = TrainingProcess(2, 1, raised=missed)
    others = (TrainingProcess(1), TrainingProcess(3, 1, ended=4.0))
    death = TrainingDeath(process, (), None, None, False, False, 0)
    for uses, aim in (
        ((MADE, OPENED), MendFailure(Frame("/plan.py", 13), "opened")),
        ((MADE, replace(OPENED, use=REMOVES)), None),
        ((MADE,), None),
    ):
        training = Training((), 1, processes=(*others, process), segments=uses)
        assert mend_death(training, death) == aim


def test_process_that_called_unlink_had_it_removed() -> None:
    unlinked = replace(OPENED, use=REMOVES, location=Location("/plan.py", 31, "main"))
    assert "plan.py:31 in main() in another process had removed" in removed(MADE, OPENED, unlinked)
    assert "alone call unlink()" in cure_of(unlinked)


@pytest.mark.parametrize(
    ("uses", "how"),
    [
        ((MADE, OPENED), {"ended": None}),
        ((MADE, OPENED), {"ended": 6.0}),
        ((MADE, replace(OPENED, tracker=20)), {}),
        ((MADE, replace(OPENED, tracker=0)), {}),
        ((MADE, replace(OPENED, name="/other")), {}),
        ((MADE, replace(MADE, use=REMOVES)), {}),
        ((MADE, OPENED), {"error": replace(ERROR, type="KeyError")}),
        ((MADE, OPENED), {"error": replace(ERROR, message="'/data/file'")}),
    ],
    ids=[
        "it runs",
        "it ended later",
        "they share a tracker",
        "it has no tracker",
        "another segment",
        "its own unlink()",
        "another exception",
        "another file",
    ],
)
def test_other_ends_are_not_blamed(uses: tuple[SegmentUse, ...], how: dict[str, Any]) -> None:
    assert not removed(*uses, **how)


SCRIPT = """
import sys
from multiprocessing import shared_memory
from envdoctor.probe.live import segments

class Journal:
    def write(self, line):
        print(line.decode(), end="")

    def complain(self, why):
        raise AssertionError(why)

segments.take(Journal(), shared_memory)
memory = shared_memory.SharedMemory(sys.argv[1], create=False)
memory.close()
"""


def test_program_that_opens_a_segment_has_a_tracker_of_its_own(tmp_path: Path) -> None:
    script = tmp_path / "plan.py"
    script.write_text(SCRIPT)
    memory = shared_memory.SharedMemory(create=True, size=8)
    try:
        command = [sys.executable, str(script), memory.name]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    finally:
        memory.close()
        try:
            memory.unlink()
        except FileNotFoundError:  # the tracker of the other one has removed it
            resource_tracker.unregister(f"/{memory.name}", "shared_memory")
    event = json.loads(done.stdout)
    assert (event["method"], event["where"]) == ("opens", f"/{memory.name}")
    assert event["frame"]["file"] == str(script)
    assert event["number"] != 0
