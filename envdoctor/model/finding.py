"""What a rule says, and what a report is made of."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field, replace
from typing import Any, Mapping, Optional, Tuple

ERROR, WARNING, NOTE = "error", "warning", "note"
SEVERITIES = (ERROR, WARNING, NOTE)  # worst first
HIGH, MEDIUM, LOW = "high", "medium", "low"

# Blame: whose fault it is.
ENVIRONMENT = "environment"  # the environment's own code
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


@dataclass(frozen=True)
class Remedy:
    """What to change. `commands` are lines of shell or of Python to paste."""

    text: str
    commands: Tuple[str, ...] = ()


@dataclass(frozen=True)
class Finding:
    """One fact about one subject under one manager, with its proof, whose fault it is and the cure.

    `message` is a sentence without subject and manager (reporters put them in front). `evidence` is JSON-able.
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

    @property
    def fingerprint(self) -> str:
        """Stable between runs: code, subject, place and the message without its numbers and addresses."""
        words = re.sub(r"0x[0-9a-f]+|\d+(\.\d+)?", "#", self.message)
        words = re.sub(r"(~|\[path\])?(/[\w.#-]+)+", "/", words)
        parts = (self.code, self.subject, self.manager, self.start_method or "", words)
        return hashlib.sha256("\n".join(parts).encode(errors="backslashreplace")).hexdigest()[:16]

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
    """A rule, manager or scenario that could not be judged, and why. `code` is empty for a whole manager."""

    code: str
    subject: str
    manager: str
    reason: str
    start_method: Optional[str] = None
