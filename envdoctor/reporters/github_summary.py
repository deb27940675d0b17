"""Markdown for the summary of a GitHub step: the file that GITHUB_STEP_SUMMARY names."""

from __future__ import annotations

from envdoctor.model.report import Report
from envdoctor.reporters._document import written

# Bytes; GitHub drops the summary of a step that is over 1 MiB, and other commands may add to it.
LIMIT = 900 * 1024


def render(report: Report, *, root: str = "", **_options: object) -> str:
    """The report as Markdown, cut between findings where it would be too long."""
    return written(report, root, LIMIT)
