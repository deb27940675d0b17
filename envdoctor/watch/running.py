"""Trainings that are being watched now, as another process finds them: it reads only."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import astuple
from pathlib import Path

from envdoctor.model.fast_dataclass import dataclass
from envdoctor.run.supervise import cleanup_watchdog, owner

MARK = "training"


@dataclass(frozen=True)
class RunningTraining:
    """A training: its command, its process and that of its doctor, and when it began, on the clock
    of time.monotonic(). `start` is that of the process, as owner.started() has it.
    """

    command: tuple[str, ...]
    pid: int
    doctor: int
    began: float
    start: str

    @property
    def is_there(self) -> bool:
        """True if it runs."""
        return bool(self.start) and owner.started(self.pid) == self.start


def mark(folder: Path, running: RunningTraining) -> None:
    """Say in a run's directory which training it is of."""
    (folder / MARK).write_text(json.dumps(astuple(running)), encoding="utf-8")


def read(folder: Path) -> RunningTraining | None:
    """The training of a run's directory; None where it is of none, gone, or not this user's."""
    try:
        if folder.stat().st_uid != os.getuid():
            return None
        text = (folder / MARK).read_text(encoding="utf-8")
        command, pid, doctor, began, start = json.loads(text)
        return RunningTraining(
            tuple(map(str, command)), int(pid), int(doctor), float(began), str(start)
        )
    except (OSError, ValueError, TypeError, OverflowError):
        return None


def running() -> list[tuple[Path, RunningTraining]]:
    """All of this user that run now, the newest first."""
    folders = Path(tempfile.gettempdir()).glob(f"{cleanup_watchdog.PREFIX}*")
    result = [(folder, known) for folder in folders if (known := read(folder)) is not None]
    there = [item for item in result if item[1].is_there]
    return sorted(there, key=lambda paths: paths[1].began, reverse=True)
