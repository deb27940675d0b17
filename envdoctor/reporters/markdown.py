"""Markdown for a comment on a pull request."""

from __future__ import annotations

from envdoctor.model.report import Report
from envdoctor.reporters._document import written

LIMIT = 60_000  # bytes; GitHub refuses comments of more than 65536 characters

MARKER = "<!-- envdoctor -->"  # by which a workflow finds its own comment, to replace it


def render(report: Report, *, root: str = "", **_options: object) -> str:
    """The report as Markdown; nothing in it that came from an environment is markup, a link or
    a mention.
    """
    return f"{MARKER}\n{written(report, root, LIMIT - len(MARKER) - 1)}"
