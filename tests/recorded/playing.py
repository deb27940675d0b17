"""One case, examined by the installed command, which saves the run."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

import psutil

from tests.company.building import source
from tests.company.playing import FILE, ordered
from tests.recorded.catalogue import Case
from tests.reports import program_of, twin
from tests.support.zoo import COMMAND, container_engine

POLL = 0.1  # seconds between two looks at the output
PATIENCE = 600.0  # seconds; the longest case takes two minutes on an idle machine
#: Exit codes of an examination that was carried out: nothing found, something found, inconclusive.
EXAMINED = (0, 1, 4)
#: What a watched training prints before each run of it that tries cures.
TRIES = b"the training runs again"
#: Starts a session whose terminal is the standard input.
SESSION = ("setsid", "--ctty")


class NotExaminedError(Exception):
    """The command did not examine the case, and what it printed."""


def python_of(case: Case) -> str | None:
    """The interpreter that it needs; None where that is not installed."""
    if case.python:
        return case.python if Path(case.python).exists() else None
    return os.environ.get(case.interpreter) if case.interpreter else sys.executable


def line_of(case: Case, save: Path) -> list[str]:
    """The command line that examines it; that of a sick training tries what cures it."""
    python = python_of(case)
    cures = ["--diff"] if case.command == "watch" and case.says else []
    if "--" in case.words:
        at = case.words.index("--")
        options = [*case.words[:at], *cures, "--save", str(save)]
        program = [str(python) if word == "python" else word for word in case.words[at:]]
        return [str(COMMAND), case.command, *options, *program]
    first, *words = case.words
    options = [*words, *cures, "--save", str(save)]
    if case.command == "watch":
        file, _, word = first.partition(":")
        return [str(COMMAND), "watch", *options, "--", python or sys.executable, file, word]
    if python and python != sys.executable:
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
    """Its working directory; that of a company or a mended twin is made, with its file."""
    if case.twin is not None:
        with _empty("mended-") as folder:
            shutil.copytree(case.folder, folder, dirs_exist_ok=True)
            Path(folder, program_of(case.twin.healthy)).write_text(twin(case.twin), "utf-8")
            yield Path(folder)
        return
    if not case.company:
        yield case.folder
        return
    with _empty("company-") as folder:
        Path(folder, FILE).write_text(source(ordered(case.company)))
        yield Path(folder)


@contextlib.contextmanager
def _beside(case: Case) -> Iterator[None]:
    """The program that runs beside it, if any. Raises NotExaminedError where it ends before it has
    printed a line, as it does when it is ready.
    """
    if not case.beside:
        yield
        return
    words = [
        str(python_of(case)) if word == "python" else word for word in shlex.split(case.beside)
    ]
    with subprocess.Popen(words, cwd=case.folder, stdout=subprocess.PIPE) as program:
        try:
            if not program.stdout.readline():  # type: ignore[union-attr]
                raise NotExaminedError(f"{case.beside} ended")
            yield
        finally:
            program.kill()


@contextlib.contextmanager
def _terminal(case: Case) -> Iterator[tuple[int, int]]:
    """The two ends of a terminal, where Ctrl-C has to reach all processes; else no input."""
    ours, theirs = os.openpty() if case.interrupt else (-1, subprocess.DEVNULL)
    try:
        yield ours, theirs
    finally:
        for end in (ours, theirs) if case.interrupt else ():
            os.close(end)


def _await_beginning(command: subprocess.Popen[str], case: Case, printed: TextIO) -> None:
    """Wait until it has printed what begins it, or has ended."""
    for _ in range(int(PATIENCE / POLL)):
        size = os.fstat(printed.fileno()).st_size
        if case.begins.encode() in os.pread(printed.fileno(), size, 0):
            return
        with contextlib.suppress(subprocess.TimeoutExpired):
            command.wait(POLL)
            return


def _delays(command: subprocess.Popen[str]) -> dict[int, float]:
    """For each of its processes: the seconds for which it was ready to run, and others ran."""
    delays = {}
    with contextlib.suppress(psutil.NoSuchProcess):
        family = psutil.Process(command.pid)
        for process in (family, *family.children(recursive=True)):
            with contextlib.suppress(OSError):
                text = Path(f"/proc/{process.pid}/schedstat").read_text()
                delays[process.pid] = int(text.split()[1]) / 1e9
    return delays


def _await_seconds(command: subprocess.Popen[str], seconds: float) -> None:
    """Wait until it has ended, or these seconds are over. Those count in which no process of it had
    to wait for a processor: on a busy machine a training comes to its hang later.
    """
    last, before, counted = time.monotonic(), _delays(command), 0.0
    for _ in range(int(PATIENCE / POLL)):
        if counted >= seconds:
            return
        with contextlib.suppress(subprocess.TimeoutExpired):
            command.wait(POLL)
            return
        now, delays = time.monotonic(), _delays(command)
        grown = [delay - before.get(number, 0.0) for number, delay in delays.items()]
        counted += max(0.0, now - last - max(grown, default=0.0))
        last, before = now, delays


def _wait(command: subprocess.Popen[str], case: Case, terminal: int, printed: TextIO) -> int:
    """Its exit code; where it is to be interrupted, Ctrl-C is pressed up to three times, and not
    while cures are tried.
    """
    if case.begins:
        _await_beginning(command, case, printed)
    for seconds in (case.interrupt, 10.0, 10.0) if case.interrupt else ():
        _await_seconds(command, seconds)
        if command.returncode is not None:
            return command.returncode
        if TRIES in os.pread(printed.fileno(), os.fstat(printed.fileno()).st_size, 0):
            break
        os.write(terminal, b"\x03")
    return command.wait(PATIENCE)


def play(case: Case, save: Path) -> None:
    """Examine it, with an empty home and without the variables of this machine. Processes that it
    leaves are ended. Raises NotExaminedError, and TimeoutExpired after ten minutes.
    """
    with (
        container_engine() as engine,
        _empty("home-") as home,
        folder_of(case) as folder,
        _beside(case),
        _terminal(case) as (terminal, stdin),
        tempfile.TemporaryFile("w+") as printed,
    ):
        # A training may leave what it makes there.
        temporary = {"TMPDIR": home} if case.command == "watch" else {}
        command = subprocess.Popen(
            [*(SESSION if case.interrupt else ()), *line_of(case, save)],
            cwd=folder,
            env={**engine, **temporary, "HOME": home, "LANG": "C.UTF-8"},
            stdin=stdin,
            stdout=printed,  # a pipe would be held open by processes that are left
            stderr=subprocess.STDOUT,
            start_new_session=not case.interrupt,
        )
        try:
            code = _wait(command, case, terminal, printed)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(command.pid, signal.SIGKILL)
            command.wait()
        printed.seek(0)
        if code not in EXAMINED and case.command != "watch":  # it ends as the training does
            raise NotExaminedError(f"exit code {code}\n{printed.read()[-4000:]}")
