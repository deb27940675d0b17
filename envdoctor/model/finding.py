"""Findings and remedies, the values that rules yield and reports consist of."""

from __future__ import annotations

from dataclasses import field, replace
from typing import Any, Dict, Mapping, Optional, Tuple

from envdoctor.model.errors import Frame
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.fingerprint import fingerprint, fingerprint_v1, key_of
from envdoctor.model.remedy import Aim, Change

ERROR, WARNING, NOTE = "error", "warning", "note"
SEVERITIES = (ERROR, WARNING, NOTE)  # worst first
HIGH, MEDIUM, LOW = "high", "medium", "low"

# Blame: whose fault it is.
ENVIRONMENT = "environment"  # the environment's own code
WRAPPER = "wrapper"  # a wrapper's code, around the environment
MANAGER = "manager"  # the control shows it too
INTERACTION = "interaction"  # only this pair shows it
UNKNOWN = "unknown"  # nothing decides

OPEN, IGNORED, BASELINED, BELOW = "open", "ignored", "baselined", "below"


@dataclass(frozen=True)
class Location:
    """A place in source code: absolute path, line from 1."""

    file: str
    line: int
    function: str = ""

    @staticmethod
    def at(frame: Frame) -> "Location":
        """The place of a frame."""
        return Location(frame.file, frame.line, frame.function)

    @staticmethod
    def of(frame: Mapping[str, Any]) -> "Location":
        """The place of a frame of the journal: {file, line, function, ...}; `function` may be
        missing.
        """
        return Location(str(frame["file"]), int(frame["line"]), str(frame.get("function", "")))


@dataclass(frozen=True)
class Remedy:
    """A remedy. `commands` are lines of shell or of Python to paste. `aim` is the goal of an edit
    of the user's source; code for it is shown only as `changes` that were applied to a copy and
    played. `verified`: the finding was gone then, and nothing new came; None where nothing was
    tried.
    """

    text: str
    commands: Tuple[str, ...] = ()
    aim: Optional[Aim] = None
    changes: Tuple[Change, ...] = ()
    verified: Optional[bool] = None


@dataclass(frozen=True)
class Finding:
    """One fact about one subject under one manager, with its proof, whose fault it is and the cure.

    `message` is a sentence without subject and manager (reporters put them in front). `evidence` is
    JSON-able. `key` is what makes it the same finding tomorrow, beside its code and place, however
    its sentences are worded. `measures` is how much of it there is, by what is counted.
    `explained_by` are the codes of rules whose remedy would take the whole of it: where one of them
    speaks in the same place, this finding gives way; of `explained_alone`, one that speaks without
    a manager is enough. `of_function`: the subject is a function.
    """

    code: str
    name: str
    severity: str
    message: str
    remedy: Remedy
    subject: str = ""
    manager: str = ""
    start_method: Optional[str] = None
    confidence: str = HIGH
    blame: str = UNKNOWN
    evidence: Mapping[str, Any] = field(default_factory=dict)
    location: Optional[Location] = None
    status: str = OPEN
    status_reason: str = ""
    key: Optional[Tuple[str, ...]] = None
    measures: Optional[Mapping[str, float]] = None
    explained_by: Tuple[str, ...] = ()
    explained_alone: Tuple[str, ...] = ()
    of_function: bool = False

    @property
    def fingerprint(self) -> str:
        """Stable between runs, machines and versions of the code around it, and of its words."""
        key = key_of(self.evidence) if self.key is None else self.key
        return fingerprint(self.code, self.subject, self.manager, self.start_method, key)

    @property
    def fingerprint_v1(self) -> str:
        """The finding's fingerprint in baselines of version 1."""
        message = "" if self.measured else self.message
        return fingerprint_v1(
            self.code, self.subject, self.manager, self.start_method, message, self.evidence
        )

    @property
    def measured(self) -> Dict[str, float]:
        """The finding's amounts, by their unit of count; empty without any."""
        return dict(self.measures or {})

    def but(self, **changes: Any) -> Finding:
        """A copy with some fields changed."""
        return replace(self, **changes)


@dataclass(frozen=True)
class Passed:
    """A rule that looked and found nothing."""

    code: str
    subject: str
    manager: str
    start_method: Optional[str] = None


@dataclass(frozen=True)
class Skipped:
    """A rule, manager or scenario that could not be judged, and why. `code` is empty for a
    whole manager. `nothing_to_count` where this machine has none of what the rule counts.
    """

    code: str
    subject: str
    manager: str
    reason: str
    start_method: Optional[str] = None
    nothing_to_count: bool = False
