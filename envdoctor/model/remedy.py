"""Remedies as values: the edits that reach an aim, and the lines of the source that they change."""

from __future__ import annotations

from typing import Tuple

from envdoctor.model.errors import ErrorValue, Frame
from envdoctor.model.fast_dataclass import dataclass

# Where an edit goes.
FIRST, LAST = "first", "last"  # in a method
BEFORE, INSTEAD = "before", "instead"  # of lines
MEMBER = "member"  # of a class, after the others
TOP = "top"  # of a file, among its imports


@dataclass(frozen=True)
class Edit:
    """Lines that go to one place of one file.

    `position` is FIRST or LAST in the method `method` of the class `owner` (which gets one that
    calls the inherited one, where it has none), or BEFORE or INSTEAD of the statements in the lines
    `line` to `end`, or a MEMBER of the class, or TOP. `lines` are not indented; the place decides.
    """

    file: str
    position: str
    lines: Tuple[str, ...]
    owner: str = ""
    method: str = ""
    line: int = 0
    end: int = 0


@dataclass(frozen=True)
class Change:
    """One edit of a file: `lines` replace `deleted` lines from `line` on (from 1; with none
    deleted, before that line), indented as there. `place` is `Arm.close()`.
    """

    file: str
    line: int
    deleted: int
    lines: Tuple[str, ...]
    place: str = ""


class Aim:
    """The aim of a remedy: a rule names it, and the edits follow from it and from the source, by
    `remedies/composing.py`. Each is a class of `environment_aims` or of `training_aims`.
    """


@dataclass(frozen=True)
class PlainAim(Aim):
    """An aim that needs no more than the source."""


@dataclass(frozen=True)
class AimAtLine(Aim):
    """An aim at one line of the source."""

    place: Frame


@dataclass(frozen=True)
class AimAtLines(Aim):
    """An aim at several lines of the source."""

    places: Tuple[Frame, ...]


@dataclass(frozen=True)
class AimAtError(Aim):
    """An aim that follows from an error."""

    error: ErrorValue
