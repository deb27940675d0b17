"""The report as one HTML file: the verdict first, then each environment with its findings, its checks by place, and its plots.

It needs no network and no script, is light or dark as the reader's system is, and shows what came out of an environment as text only.
Texts, lists and drawings are bounded: 200 findings in 1,000 scenarios of 40 environments take less than 2 MiB.
"""

from __future__ import annotations

from envdoctor.model.report import Report
from envdoctor.reporters.html.markup import written
from envdoctor.reporters.html.page import page


def render(report: Report, *, directory: str = "", **_options: object) -> str:
    """The page, in ASCII, ending with a newline. Paths below `directory` are relative to it."""
    return f"<!doctype html>\n{written(page(report), directory)}\n"
