"""One case, examined by the installed command, which saves the run."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.company.building import source
from tests.company.playing import FILE, ordered
from tests.recorded.catalogue import Case
from tests.support.zoo import COMMAND, container_engine

PATIENCE = 600.0  # seconds; the longest case takes two minutes on an idle machine
#: Exit codes of an examination that was carried out: nothing found, something found, inconclusive.
EXAMINED = (0, 1, 4)


class NotExaminedError(Exception):
    """The command did not examine the case, and what it printed."""


def python_of(case: Case) -> str | None:
    """The interpreter that it needs; None where that is not installed."""
    return os.environ.get(case.interpreter) if case.interpreter else sys.executable


def line_of(case: Case, save: Path) -> list[str]:
    """The command line that examines it."""
    first, *words = case.words
    options = [*words, "--save", str(save)]
    python = python_of(case)
    if case.command == "watch":
        file, _, word = first.partition(":")
        return [str(COMMAND), "watch", *options, "--", python or sys.executable, file, word]
    if case.interpreter and python:
        options += ["--python", python]
    return [str(COMMAND), case.command, first, *options]


def hear_signals() -> None:
    """Let the commands hear signals that a shell ignores for what it starts in the background."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


def _empty(prefix: str) -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix=prefix)


@contextlib.contextmanager
def folder_of(case: Case) -> Iterator[Path]:
    """Its working directory; that of a company is made, with its file."""
    if not case.company:
        yield case.folder
        return
    with _empty("company-") as folder:
        Path(folder, FILE).write_text(source(ordered(case.company)))
        yield Path(folder)


def play(case: Case, save: Path) -> None:
    """Examine it, with an empty home and without the variables of this machine. Processes that it
    leaves are ended. Raises NotExaminedError, and TimeoutExpired after ten minutes.
    """
    with (
        container_engine() as engine,
        _empty("home-") as home,
        folder_of(case) as folder,
        tempfile.TemporaryFile("w+") as printed,
    ):
        command = subprocess.Popen(
            line_of(case, save),
            cwd=folder,
            env={**engine, "HOME": home, "LANG": "C.UTF-8"},
            stdin=subprocess.DEVNULL,
            stdout=printed,  # a pipe would be held open by processes that are left
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            code = command.wait(PATIENCE)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(command.pid, signal.SIGKILL)
            command.wait()
        printed.seek(0)
        if code not in EXAMINED and case.command != "watch":  # it ends as the training does
            raise NotExaminedError(f"exit code {code}\n{printed.read()[-4000:]}")
