"""GitLab's code quality report: what is open, shown beside the lines that a merge request
changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from envdoctor.model.finding import ERROR, NOTE, WARNING, Finding
from envdoctor.model.report import Report
from envdoctor.reporters._anchors import MANIFEST, anchor
from envdoctor.reporters._folding import worker_numbers
from envdoctor.reporters._markdown import fenced, prose
from envdoctor.reporters._showing import clean
from envdoctor.reporters._wording import commands, open_cases, safe_line, sentence
from envdoctor.reporters.json_v1 import written

SEVERITIES = {ERROR: "major", WARNING: "minor", NOTE: "info"}


def render(report: Report, *, root: str = "", manifest: str = MANIFEST, **_options: object) -> str:
    """A JSON list with an entry for each open case. Paths are relative to `root`; what is
    outside it stands at its subject's.
    """
    return written(list(_entries(report, root, manifest)))


def _entries(report: Report, root: str, manifest: str) -> Iterator[dict[str, object]]:
    workers, known = worker_numbers(report), Counter[str]()
    for case in open_cases(report):
        place = anchor(case.first, report, root, manifest)
        known[case.fingerprint] += 1
        # GitLab drops what it has seen.
        again = f"-{known[case.fingerprint]}" if known[case.fingerprint] > 1 else ""
        yield {
            "description": (
                f"{sentence(case, workers, root)} Remedy: {safe_line(case.first.remedy.text, root)}"
            ),
            "check_name": safe_line(case.first.code),
            "fingerprint": case.fingerprint + again,
            "severity": SEVERITIES.get(case.first.severity, "info"),
            "location": {"path": clean(place.path, unicode=True), "lines": {"begin": place.line}},
            **_content(case.first, root),
        }


def _content(finding: Finding, root: str) -> dict[str, object]:
    """The verified code as Markdown: Code Climate's format has that, and GitLab's names no field
    for code. The artifact has it, the merge request shows the description alone.
    """
    if not finding.remedy.verified:
        return {}
    text = prose(safe_line(finding.remedy.text, root))
    return {"content": {"body": f"{text}\n\n{fenced(commands(finding))}\n"}}
