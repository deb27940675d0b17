"""The report as one HTML file: the verdict first, then each environment with its findings, its
checks by place, and its plots.

It needs no network and no script, is light or dark as the reader's system is, and shows what came
out of an environment as text only. Texts, lists and drawings are bounded: 200 findings in 1,000
scenarios of 40 environments take less than 2 MiB.
"""

from __future__ import annotations

from html import escape

from envdoctor.model.report import Report
from envdoctor.reporters._folding import cases
from envdoctor.reporters.html.markup import written
from envdoctor.reporters.html.page import card, page

#: Pixels of the frame in a notebook; what does not fit is scrolled.
LEAST_HEIGHT, HEIGHT_OF_A_CASE, MAX_HEIGHT = 260, 360, 900


def render(report: Report, *, directory: str = "", **_options: object) -> str:
    """The page, in ASCII, ending with a newline. Paths below `directory` are relative to it."""
    return f"<!doctype html>\n{written(page(report), directory)}\n"


def render_card(report: Report, *, directory: str = "") -> str:
    """The top of the page with its findings, for a notebook: a document in a frame of its own, so
    that neither style reaches the other.
    """
    text = f"<!doctype html>\n{written(card(report), directory)}"
    height = min(MAX_HEIGHT, LEAST_HEIGHT + HEIGHT_OF_A_CASE * len(cases(report.findings)))
    return (
        f'<iframe srcdoc="{escape(text)}" title="envdoctor" sandbox="" width="100%"'
        f' height="{height}" style="border: 0"></iframe>'
    )
