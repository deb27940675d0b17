"""Trials of remedies, and fixes of several findings, as values."""

from __future__ import annotations

from typing import Optional, Tuple

from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.remedy import Change


@dataclass(frozen=True)
class Tried:
    """The trial of one finding's remedy: the changes, `verified` if the finding was gone with
    nothing new, and otherwise the reason. `together`: in one copy with those of other findings.
    """

    changes: Tuple[Change, ...] = ()
    verified: Optional[bool] = None
    reason: str = ""
    together: bool = False


@dataclass(frozen=True)
class ChangedFile:
    """One file of a fix. `examined` is the SHA-256 of its bytes as they were read, `tried` that of
    the text that was played in their place, in UTF-8 and with a line feed after each line.
    """

    file: str
    examined: str
    tried: str


@dataclass(frozen=True)
class FixedFinding:
    """A finding that a fix cures, or one that it leaves, with the `reason`."""

    code: str
    fingerprint: str
    reason: str = ""


@dataclass(frozen=True)
class Fix:
    """The remedies of one subject that were played in one copy: all of `cured` was gone there, and
    nothing new came. `left` are findings whose verified code did not hold beside the others, or
    that have none.
    """

    changes: Tuple[Change, ...] = ()
    files: Tuple[ChangedFile, ...] = ()
    cured: Tuple[FixedFinding, ...] = ()
    left: Tuple[FixedFinding, ...] = ()
