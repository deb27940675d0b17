"""Public reports: a folder each, with a model of the environment and the right answer."""

from __future__ import annotations

import datetime as dt
import shlex
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.interpreters import MADE

FOLDER = Path(__file__).parent
LOG = FOLDER / "LOG.md"


@dataclass(frozen=True)
class Report:
    """One report.toml. `sick` is the command as its author would type it, without `envdoctor`;
    `healthy` examines the twin in which the trouble is cured: a file beside it, or the same program
    with `mends`, pairs of text that is there once and of what takes its place. Without a command,
    they are the scripts `train.py` and `fixed.py`, watched.

    Of the sick one, `codes` and `names` (parts of a finding's message, place or remedy) have to be
    reported, no part that `avoids` lists, and of errors and warnings nothing else but `also`.
    `passes` are rules that pass on the healthy one, and on the sick one where nothing is to be
    reported; `codes` where it is missing.

    `date` is the day of the report, where it is known. `open` says what is reported today and what
    is missing. Such a report is played by `python -m tests.reports` alone. So is one with `needs`:
    packages that it installs in an interpreter of its own. `beside` is a program that runs
    meanwhile, and prints a line when it is ready. `interrupt` are the seconds after which the author
    of a training that hangs presses Ctrl-C, from the line that `begins` it, where it prints one.
    """

    name: str
    address: str
    symptom: str
    answer: str
    codes: tuple[str, ...]
    sick: str = "watch -- python train.py"
    healthy: str = "watch -- python fixed.py"
    date: dt.date | None = None
    also: tuple[str, ...] = ()
    passes: tuple[str, ...] | None = None
    names: tuple[str, ...] = ()
    avoids: tuple[str, ...] = ()
    interpreter: str = ""
    needs: tuple[str, ...] = ()
    beside: str = ""
    interrupt: float = 0.0
    begins: str = ""
    open: str = ""
    mends: tuple[tuple[str, str], ...] = ()

    @property
    def folder(self) -> Path:
        """The folder of its model."""
        return FOLDER / self.name

    @property
    def is_recorded(self) -> bool:
        """It is reported rightly, with what the tests have installed."""
        return not self.open and not self.needs

    @property
    def python(self) -> str:
        """The interpreter with what it needs; empty where it needs nothing."""
        return str(MADE / "reports" / self.name / "bin" / "python") if self.needs else ""

    @property
    def quiet(self) -> tuple[str, ...]:
        """The rules that have to pass on the healthy twin."""
        return self.codes if self.passes is None else self.passes


def all_reports() -> Iterator[Report]:
    """All of them by name. Raises TypeError for a file that lacks a key or has another one."""
    for file in sorted(FOLDER.glob("*/report.toml")):
        values = tomllib.loads(file.read_text(encoding="utf-8"))
        lists = {key: _tuple(value) for key, value in values.items() if isinstance(value, list)}
        yield Report(**{"name": file.parent.name, **values, **lists})


def program_of(line: str) -> str:
    """The file of the folder that a command examines, or runs."""
    words = (word.partition(":")[0] for word in shlex.split(line))
    return next(word for word in words if word.endswith(".py"))


def twin(report: Report) -> str:
    """The healthy twin's text: that of the sick one, mended. Raises ValueError for text to mend
    that is not there once.
    """
    text = (report.folder / program_of(report.sick)).read_text(encoding="utf-8")
    for old, new in report.mends:
        if text.count(old) != 1:
            raise ValueError(f"{report.name}: {old!r} is there {text.count(old)} times")
        text = text.replace(old, new)
    return text


def _tuple(value: list[Any]) -> tuple[Any, ...]:
    return tuple(_tuple(each) if isinstance(each, list) else each for each in value)
