"""The whole page: one file that needs no network, no script and no font of its own."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files

from envdoctor.model.finding import NOTE
from envdoctor.model.report import Report
from envdoctor.reporters._condition import condition
from envdoctor.reporters._folding import worker_numbers
from envdoctor.reporters.html.cards import card as case_card
from envdoctor.reporters.html.index import Index
from envdoctor.reporters.html.markup import Element, Node, Verbatim, tag
from envdoctor.reporters.html.parts import sign
from envdoctor.reporters.html.run import run
from envdoctor.reporters.html.subject import subject, worst_first
from envdoctor.reporters.html.verdict import headline, verdict

MAX_CARDS = 5  # findings that a notebook shows

#: A cross, so that the browser does not request an icon.
ICON = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E"
    "%3Cpath d='M6 1h4v5h5v4h-5v5H6v-5H1V6h5z' fill='%230a7d74'/%3E%3C/svg%3E"
)


@cache
def style() -> str:
    """The style sheet, in ASCII."""
    return files(__package__).joinpath("style.css").read_text(encoding="ascii")


def policy() -> str:
    """The page's security policy: it is drawn with its own style sheet, and may do nothing else."""
    digest = base64.b64encode(hashlib.sha256(style().encode("ascii")).digest()).decode()
    return (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none';"
        " form-action 'none'"
    )


def page(report: Report) -> Element:
    """The element html."""
    index = Index(report)
    known: set[str] = set()
    subjects = [subject(reported, report, index, known) for reported in worst_first(report)]
    main = tag(
        "main", verdict(report, index), _contents(report, index), subjects, run(report), id="main"
    )
    foot = tag(
        "footer",
        f"envdoctor {report.version}. This page is one file: it asks no network for anything, and"
        " runs no script.",
    )
    return tag(
        "html",
        head(headline(report), policy(), style()),
        tag("body", tag("a", "Skip to the verdict", href="#main", class_="skip"), main, foot),
        lang="en",
    )


def card(report: Report) -> Element:
    """The element html of the verdict and the worst findings, without all that surrounds them."""
    index = Index(report)
    workers = worker_numbers(report)
    worst = [cause for cause in index.causes if cause[0].first.severity != NOTE][:MAX_CARDS]
    shown = [
        case_card(
            case,
            index.anchor(case),
            workers,
            with_manual=False,
            others=[(other, index.anchor(other)) for other in rest],
        )
        for case, *rest in worst
    ]
    main = tag("main", verdict(report, index), tag("section", shown) if shown else None)
    return tag("html", head(headline(report), policy(), style()), tag("body", main), lang="en")


def head(title: str, allowed: str, sheet: str) -> Element:
    """The head of a page: its title, its security policy and its style sheet."""
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=allowed),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("title", f"{title} - envdoctor"),
        tag("link", rel="icon", href=ICON),
        tag("style", Verbatim(sheet)),
    )


def _contents(report: Report, index: Index) -> Node:
    """The way to each environment, where there are several."""
    if len(report.subjects) < 2:
        return None
    items = [
        tag(
            "li",
            sign(condition(reported, report)),
            " ",
            tag("a", reported.spec, href=f"#{index.subjects[reported.spec]}"),
        )
        for reported in worst_first(report)
    ]
    return tag("nav", tag("ul", items, class_="subjects"), aria_label="Environments")
