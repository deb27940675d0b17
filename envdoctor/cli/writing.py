"""Writing to stdout and to files."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Mapping
from io import TextIOWrapper
from pathlib import Path
from typing import Protocol, TextIO

from envdoctor.cli import checkout, files
from envdoctor.cli.streams import give_up
from envdoctor.errors import UsageError
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import SEVERITIES
from envdoctor.model.report import Report
from envdoctor.model.variables import variables
from envdoctor.reporters import formats, reporter
from envdoctor.request import choices
from envdoctor.verdict.redaction import without_home

MIN_WIDTH, MAX_WIDTH = 40, 120  # columns; longer lines are hard to read

STEP_SUMMARY = "GITHUB_STEP_SUMMARY"  # names a file that all commands of a step add to


def width() -> int:
    """Columns of the terminal (or of COLUMNS); 80 when there is none."""
    return max(MIN_WIDTH, min(shutil.get_terminal_size((80, 24)).columns, MAX_WIDTH))


@dataclass(frozen=True)
class Wanted:
    """One report that was asked for: a format, the file that it goes to (None: stdout), and the
    words that asked for it.
    """

    format: str
    path: Path | None
    words: str


class Begun(Protocol):
    """A report that is written while the run goes on."""

    def finish(self, report: Report) -> bool:
        """Write the rest. False where all of the report is still to be written."""


def wanted(
    format_name: str, output: Path | None, reports: Iterable[str] | None
) -> tuple[Wanted, ...]:
    """The reports that --format, --output and each --report FORMAT=FILE ask for, the first one
    first.

    Raises UsageError for a format that there is not, or a file that cannot be written: before the
    slow run, not after it.
    """
    first = Wanted(choices.one_of("format", format_name, formats()), output, f"--output {output}")
    check_writable(output)
    every = (first, *(_wanted(words) for words in reports or ()))
    claimed: set[Path] = set()
    for path, words in ((report.path.resolve(), report.words) for report in every if report.path):
        # A device takes as many as come.
        if path in claimed and (path.is_file() or not path.exists()):
            raise UsageError(f"{words}: two reports cannot go to one file")
        claimed.add(path)
    return every


def outlets(
    fail_on: str,
    format_: str,
    output: Path | None,
    reports: list[str] | None,
    save: Path | None,
    anonymous: bool,
) -> tuple[Wanted, ...]:
    """Return the outputs of the reports. Problems that would appear after the slow run are refused
    before it. Raises UsageError.
    """
    choices.one_of("severity", fail_on, SEVERITIES)
    chosen = wanted(format_, output, reports)
    if save is not None:
        if anonymous:
            raise UsageError(
                "--save keeps what --anonymous would hide; save without it, and `envdoctor report"
                " FILE --anonymous` hides it"
            )
        from envdoctor.saved.writing import check_free

        check_writable(save, "--save")
        check_free(save)
    return chosen


def _wanted(words: str) -> Wanted:
    name, equals, file = words.partition("=")
    known = choices.one_of("format", name.strip(), formats())
    if not equals or not file.strip():
        raise UsageError(f"--report {words}: name the file, as in --report {known}=FILE")
    if file.strip() == "-":
        raise UsageError(f"--report {words}: name a file; --format {known} writes to stdout")
    path = Path(file.strip()).expanduser()
    _check_file(path, f"--report {words}")
    return Wanted(known, path, f"--report {words}")


def check_writable(path: Path | None, option: str = "--output") -> None:
    """Refuse a file that cannot be written before the slow run, not after it. Raises UsageError."""
    _check_file(path, f"{option} {path}")


def _check_file(path: Path | None, words: str) -> None:
    if path is None:
        return
    if path.is_dir():
        raise UsageError(f"{words} is a directory; name a file in it")
    if not path.parent.is_dir():
        raise UsageError(f"{words}: directory {path.parent} not found")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise UsageError(f"{words}: it may not be written")


def write_reports(
    report: Report,
    every: Iterable[Wanted],
    *,
    verbosity: int,
    directory: str,
    fail_on: str,
    exit_code: int,
    anonymous: bool,
    stream: TextIO | None = None,
    begun: Mapping[Wanted, Begun] | None = None,
    lost: Iterable[str] = (),
) -> None:
    """Render the report in each format and put it where it belongs; people are shown paths relative
    to `directory`. In an `anonymous` one they are so already: where that is the repository, places
    are given as those of its files. `stream` is stdout, or what is written to in its place. Of the
    reports that were `begun` while the run went on, the rest is written.

    Raises UsageError when all are written but those that could not be; `lost` says what of other
    files could not. Raises OSError where nothing but stdout was asked for, and cannot be written.
    """
    # As the report has them.
    root, tell = checkout.root(Path(directory)), without_home(os.path.expanduser("~"))
    common = {
        "verbosity": verbosity,
        "directory": tell(directory),
        "root": "." if anonymous and root == Path(directory) else tell(str(root)),
        "manifest": checkout.manifest(root),
        "fail_on": fail_on,
        "exit_code": exit_code,
    }
    screen = {
        "width": width(),
        "colour": _has_colour(stream),
        "unicode": is_unicode(stream),
        "interactive": (stream or sys.stdout).isatty(),
    }
    every, troubles, texts = tuple(every), list(lost), []
    where = "stderr" if stream is sys.stderr else "stdout"
    for asked in every:
        if begun and asked in begun and begun[asked].finish(report):
            continue
        text = reporter(asked.format)(report, **common, **({} if asked.path else screen))
        try:
            _put(text, asked.path, stream)
        except OSError as error:
            if not asked.path:
                give_up(stream or sys.stdout)
                if len(every) == 1 and not troubles:
                    raise
            troubles.append(f"{asked.words if asked.path else where}: {error.strerror or error}")
            texts.append(text)
    if len(texts) == len(every) and all(asked.path for asked in every):
        # The run was slow: what it found must not be lost with the file.
        troubles.append(_rescued(texts[0], stream, where))
    if troubles:
        raise UsageError("; ".join(troubles))


def _rescued(text: str, stream: TextIO | None, where: str) -> str:
    """Write a report whose file failed to the standard stream; how that went."""
    try:
        write(text, stream)
    except OSError as error:
        give_up(stream or sys.stdout)
        return f"{where}: {error.strerror}"
    return f"the report went to {where}"


def _put(text: str, path: Path | None, stream: TextIO | None) -> None:
    if path is None:
        write(text, stream)
    elif str(path) == os.environ.get(STEP_SUMMARY) and path.is_file():
        files.write_whole(path, path.read_text(encoding="utf-8", errors="replace") + text)
    else:
        files.write_whole(path, text)


def write(text: str, stream: TextIO | None = None) -> bool:
    """Write to stdout, or to another stream. A reader that went away (`| head`) is not an error:
    the exit code still tells. Whether there is one.
    """
    stream = stream or sys.stdout
    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        give_up(stream)
        return False
    return True


def write_bytes(data: bytes) -> None:
    """Write bytes to stdout as they are, for a program that reads them."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.flush()
        try:
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            give_up(sys.stdout)
    else:  # in place of stdout, in a test of a program
        sys.stdout.write(data.decode("utf-8", "backslashreplace"))


def _has_colour(stream: TextIO | None) -> bool:
    """Follow no-color.org and FORCE_COLOR; otherwise return True if stdout is a terminal that knows
    colors.
    """
    asked = variables(os.environ)
    if asked.no_colour:
        return False
    return asked.force_colour or ((stream or sys.stdout).isatty() and asked.terminal != "dumb")


def is_unicode(stream: TextIO | None = None) -> bool:
    """Return True if stdout, or another stream, takes more than ASCII."""
    return ((stream or sys.stdout).encoding or "").lower().replace("-", "").startswith("utf")
