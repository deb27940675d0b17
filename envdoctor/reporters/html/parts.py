"""Parts that several sections are made of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from envdoctor.model.finding import ERROR, WARNING
from envdoctor.reporters._condition import CLEAR, UNJUDGED
from envdoctor.reporters.html.markup import Element, Node, tag


def sideways(child: Node, label: str) -> Element:
    """A region that scrolls, with the keyboard as well, for a child that may be wider than the
    page.
    """
    return tag(
        "div",
        child,
        class_="scroll",
        tabindex="0",
        role="region",
        aria_label=f"{label}; it scrolls sideways",
    )


def table(
    headings: Iterable[str],
    rows: Iterable[Sequence[Node]],
    caption: str = "",
    class_: str = "records",
) -> Element:
    """A table of cells; nothing spans."""
    head = tag("thead", tag("tr", [tag("th", words, scope="col") for words in headings]))
    body = tag("tbody", [tag("tr", [tag("td", cell) for cell in row]) for row in rows])
    return tag("table", tag("caption", caption) if caption else None, head, body, class_=class_)


def legend(keys: Iterable[tuple[str, str]], signs: bool = False) -> Element:
    """A legend of (style, words); with `signs` the style's own sign is in the box: (style, sign
    and words).
    """
    return tag("ul", [_key(style, words, signs) for style, words in keys], class_="legend")


def _key(style: str, words: str, signs: bool) -> Element:
    sign, _, rest = words.partition(" ") if signs else ("", "", words)
    return tag("li", tag("span", sign, class_=f"key {style}", aria_hidden="true"), f" {rest}")


def breakable(text: str) -> list[Node]:
    """A long name that may be broken after what separates its parts, and nowhere else as long
    as that does.
    """
    return [part for piece in re.split(r"(?<=[:/])", text) for part in (piece, tag("wbr"))][:-1]


def terms(entries: Iterable[tuple[str, Node]], class_: str) -> Element:
    """Names and values; those without a value are left out."""
    return tag(
        "dl",
        [(tag("dt", name), tag("dd", value)) for name, value in entries if value],
        class_=class_,
    )


def folded(opener: Node, *children: Node, **attributes: object) -> Element:
    """Children that the reader can unfold."""
    return tag("details", tag("summary", opener), *children, **attributes)


SIGNS = {ERROR: "✗", WARNING: "!", CLEAR: "✓", UNJUDGED: "?"}
WORDS = {ERROR: "failed", WARNING: "warned", CLEAR: "nothing found", UNJUDGED: "not judged"}


def sign(state: str) -> Element:
    """A round sign with its word for readers who do not see it."""
    return tag(
        "span",
        tag("span", SIGNS[state], aria_hidden="true"),
        tag("span", WORDS[state], class_="unseen"),
        class_=f"sign {state}",
    )
