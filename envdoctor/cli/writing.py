"""Writing to stdout and to files."""

from __future__ import annotations

import os
import shutil
import sys
from io import TextIOWrapper
from pathlib import Path

from envdoctor.errors import UsageError
from envdoctor.model.report import Report
from envdoctor.reporters import reporter

MIN_WIDTH, MAX_WIDTH = 40, 120  # columns; longer lines are hard to read


def width() -> int:
    """Columns of the terminal (or of COLUMNS); 80 when there is none."""
    return max(MIN_WIDTH, min(shutil.get_terminal_size((80, 24)).columns, MAX_WIDTH))


def check_writable(path: Path | None, option: str = "--output") -> None:
    """Refuse a file that cannot be written before the slow run, not after it. Raises UsageError."""
    if path is None:
        return
    if path.is_dir():
        raise UsageError(f"{option} {path} is a directory; name a file in it")
    if not path.parent.is_dir():
        raise UsageError(f"{option} {path}: there is no directory {path.parent}")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise UsageError(f"{option} {path}: it may not be written")


def check_folder(option: str, path: Path | None) -> None:
    """Refuse a folder that cannot be made. Raises UsageError."""
    there = next((folder for folder in (path, *path.absolute().parents) if folder.exists()), path) if path else None
    if there is not None and not there.is_dir():
        raise UsageError(f"{option} {path}: {there} is no directory")
    if there is not None and not os.access(there, os.W_OK):
        raise UsageError(f"{option} {path}: {there} may not be written")


def write_report(report: Report, format_name: str, path: Path | None, verbosity: int, directory: str) -> None:
    """Render the report and put it where it belongs; paths below `directory` are shown relative to it."""
    render = reporter(format_name)
    if path is None:
        write(
            render(
                report,
                width=width(),
                colour=_has_colour(),
                unicode=_is_unicode(),
                verbosity=verbosity,
                directory=directory,
            )
        )
        return
    try:
        path.write_text(render(report, verbosity=verbosity, directory=directory), encoding="utf-8")
    except OSError as error:
        # The run was slow: what it found must not be lost with the file.
        write(render(report, verbosity=verbosity, directory=directory))
        raise UsageError(f"--output {path}: {error.strerror}; the report went to stdout") from error


def write(text: str) -> None:
    """Write to stdout. A reader that went away (`| head`) is no error: the exit code still tells."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        # Else the interpreter's own flush at exit would complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _has_colour() -> bool:
    """What no-color.org and FORCE_COLOR ask for; else whether stdout is a terminal that knows colours."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (sys.stdout.isatty() and os.environ.get("TERM") != "dumb")


def _is_unicode() -> bool:
    return (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf")
