"""The report: everything one run found out, ready for any reporter."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Mapping, Optional, Tuple

from envdoctor.model.finding import Finding, Location, Passed, Skipped
from envdoctor.model.trace import Trace

HEALTHY, SICK, INCONCLUSIVE = "healthy", "sick", "inconclusive"


@dataclass(frozen=True)
class SubjectReport:
    """One subject as it was found. `managers` are (manager, start method) pairs that were played; `frameworks` maps
    package names of the target to versions; `lacks` says what the object does not offer (a duck without close()).
    """

    spec: str
    env_class: str = ""
    source: Optional[Location] = None
    managers: Tuple[Tuple[str, Optional[str]], ...] = ()
    frameworks: Mapping[str, str] = field(default_factory=dict)
    python: str = ""
    lacks: Tuple[str, ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True)
class Report:
    """One run. `verdict` is healthy, sick or inconclusive; findings are worst first."""

    subjects: Tuple[SubjectReport, ...]
    findings: Tuple[Finding, ...]
    passed: Tuple[Passed, ...]
    skipped: Tuple[Skipped, ...]
    traces: Tuple[Tuple[str, Trace], ...]  # (spec, trace)
    verdict: str
    seed: int = 0
    seconds: float = 0.0
    command: Tuple[str, ...] = ()
    platform: Mapping[str, str] = field(default_factory=dict)
    version: str = ""
    interrupted: bool = False

    def count(self, severity: str) -> int:
        """Open findings of one severity."""
        return sum(finding.severity == severity and finding.status == "open" for finding in self.findings)
