"""Results as values, for tests."""

from __future__ import annotations

from typing import Any

from envdoctor import __version__
from envdoctor.model.finding import ERROR, Finding, Location, Passed, Remedy
from envdoctor.model.report import HEALTHY, SICK
from envdoctor.sweep.plans import Identity
from envdoctor.sweep.results import Judged, Result

CODES = ("AAA001", "AAA002", "AAA003")


def finding(code: str = "AAA001", spec: str = "Crane-v0", **fields: Any) -> Finding:
    known: dict[str, Any] = {
        "name": "close-leaves-something",
        "severity": ERROR,
        "message": "close() leaves 1 descriptor open",
        "remedy": Remedy("Close it.", ("close()",)),
        "subject": spec,
        "manager": "direct",
        "key": ("descriptors",),
        "measures": {"descriptors left": 1},
        "location": Location("/home/ana/lab/crane.py", 12, "close"),
    }
    return Finding(code, **{**known, **fields})


def result(
    *findings: Finding,
    spec: str = "Crane-v0",
    passed: tuple[str, ...] = CODES,
    identity: dict[str, Any] | None = None,
    judged: dict[str, Any] | None = None,
    **fields: Any,
) -> Result:
    """A result in which what was not found passed."""
    found = {one.code for one in findings}
    known: dict[str, Any] = {
        "verdict": SICK if findings else HEALTHY,
        "findings": findings,
        "passed": tuple(Passed(code, spec, "direct") for code in passed if code not in found),
        "frameworks": {"gymnasium": "1.4.0"},
        "version": __version__,
        "seconds": 3.0,
    }
    return Result(
        Identity(spec, **(identity or {})), Judged(**{**known, **(judged or {})}), **fields
    )
