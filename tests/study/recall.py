"""What the trackers of the examined packages know, and how much of it envdoctor reports."""

from __future__ import annotations

import tomllib
from collections import Counter
from dataclasses import dataclass

from tests.study import STUDY
from tests.study.tables import interval

PRESENT = "yes"


@dataclass(frozen=True)
class KnownIssue:
    """An issue of a public tracker. `kind` is the rule that would fit, if any; `reported_by` the one that
    does; `why_not` the reason where none does. It is not `examined` where it is in another
    environment than the study's, in other arguments, or under another vectorizer.
    """

    package: str
    issue: str
    statement: str
    kind: str
    present: str
    how: str
    reported_by: str = ""
    why_not: str = ""
    examined: bool = True

    @property
    def is_reachable(self) -> bool:
        """True if a rule is about it, and the examined environment has it."""
        return bool(self.kind) and self.examined


def known_issues() -> list[KnownIssue]:
    rows = tomllib.loads((STUDY / "known-issues.toml").read_text())["issue"]
    return [KnownIssue(**row) for row in rows]


def recall() -> str:
    """A summary and a table of what is present."""
    issues = known_issues()
    present = [issue for issue in issues if issue.present == PRESENT]
    reachable = [issue for issue in present if issue.is_reachable]
    reported, counts = (
        sum(bool(issue.reported_by) for issue in present),
        Counter(x.present for x in issues),
    )
    low, high = interval(reported, len(present))
    lines = [
        (
            f"Of {len(issues)} issues, {counts['no']} are mended in the installed version, and"
            f" {counts['not tried']} were not tried. Of the {len(present)} that are there, {reported} are"
            f" reported ({low:.0%} to {high:.0%}); of the {len(reachable)} of these that a rule is about"
            f" and that the examined environment has, {sum(bool(x.reported_by) for x in reachable)}."
        ),
        "",
        "| issue | trouble | reported by, or why not |",
        "|---|---|---|",
        *(f"| {x.issue} | {x.statement} | {x.reported_by or x.why_not} |" for x in present),
    ]
    return "\n".join(lines)
