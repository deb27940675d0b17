"""Findings on a terminal as soon as they are known, while the rest is still played. The report has
them again, with their proof and their remedies.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from threading import Lock

from envdoctor.model.finding import OPEN, Finding, Location
from envdoctor.model.report import Report
from envdoctor.reporters._folding import identities
from envdoctor.reporters._lines import Line
from envdoctor.reporters._summary import in_a_line
from envdoctor.run.announcing import Listener
from envdoctor.run.private_names import private
from envdoctor.verdict.redaction import without_home

Settle = Callable[[Report], Report]


def settled(findings: Iterable[Finding], settle: Settle) -> tuple[Finding, ...]:
    """Findings as the report will have them: by the team's policy, without private names."""
    return private(settle(Report((), tuple(findings), (), (), (), "")), (), False).findings


class FindingLines(Listener):
    """Says each open finding in a line. What several managers show alike is said once. `named`:
    with the subject, where there are several.
    """

    is_eager = True

    def __init__(self, say: Callable[[Line], None], settle: Settle, named: bool = False) -> None:
        self._say, self._settle, self._named = say, settle, named
        self._directory = without_home(os.path.expanduser("~"))(os.getcwd())
        self._shown: set[tuple[object, ...]] = set()
        self._lines: dict[tuple[object, ...], Location | None] = {}
        self._alone = Lock()

    def final(self, findings: Iterable[Finding]) -> None:
        """Say these, the worst first."""
        with self._alone:
            opened = [each for each in settled(findings, self._settle) if each.status == OPEN]
            for finding, same in zip(opened, identities(opened, self._lines), strict=True):
                if same not in self._shown:
                    self._shown.add(same)
                    self._say(in_a_line(finding, self._directory, named=self._named))
