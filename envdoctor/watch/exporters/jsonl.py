"""Samples as lines of JSON, appended to a file."""

from __future__ import annotations

import json
import os
from pathlib import Path

from envdoctor.watch.exporters._paths import check_file
from envdoctor.watch.samples import Sample


def check(target: str) -> None:
    """Refuse a directory, and a file in a directory that does not exist."""
    check_file(Path(target).expanduser())


class LinesFile:
    """A file. It is opened for each line, so that one that was moved away is made anew."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def write(self, sample: Sample) -> None:
        """Append a line, or nothing: a part of one is taken back."""
        line = json.dumps(sample.as_json(), separators=(",", ":")).encode() + b"\n"
        descriptor = os.open(
            self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o666
        )
        try:
            before = os.fstat(descriptor).st_size
            if os.write(descriptor, line) < len(line):
                os.ftruncate(descriptor, before)
                raise OSError("the disk is full")
        finally:
            os.close(descriptor)

    def close(self) -> None:
        """Keep nothing open."""


def exporter(target: str) -> LinesFile:
    """Open a file."""
    return LinesFile(Path(target).expanduser())
