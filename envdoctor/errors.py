"""Errors of a run, and the exit codes. Findings about an environment are never exceptions."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum


class ExitCode(IntEnum):
    """The exit code of the process."""

    OK = 0  # nothing at or above --fail-on
    FINDINGS = 1
    USAGE = 2
    NOTHING_TO_CHECK = 3
    INCONCLUSIVE = 4
    BUG = 70  # our own; the number of sysexits.h for internal software errors
    INTERRUPTED = 130


class EnvdoctorError(Exception):
    """A run that cannot go on. Its text is a sentence for the user."""

    exit_code = ExitCode.BUG


class UsageError(EnvdoctorError):
    """The command line or the configuration asks for something that does not exist."""

    exit_code = ExitCode.USAGE


class NothingToCheck(EnvdoctorError):
    """The named places hold no environment."""

    exit_code = ExitCode.NOTHING_TO_CHECK


def nearest_sentence(word: str, known: Iterable[str]) -> str:
    """`; did you mean X?`, or nothing."""
    import difflib

    near = difflib.get_close_matches(word, list(known), 1, 0.6)
    return f"; did you mean {near[0]}?" if near else ""
