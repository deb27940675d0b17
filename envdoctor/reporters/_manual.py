"""A rule's manual page as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from envdoctor.reporters._markdown import fenced, prose

PROSE, CODE = 4, 8  # columns that text and code are indented by

_TICKED = re.compile(r"(\(?`[^`]+`[.,;:)]*)")


def as_markdown(manual: str) -> str:
    """Headings, paragraphs and blocks of code; without the first line, which is the summary."""
    lines = manual.strip().splitlines()[1:]
    return "\n\n".join(block for block in _blocks(lines) if block)


def _blocks(lines: list[str]) -> Iterator[str]:
    for kind, group in groupby(_with_gaps(lines), key=lambda entry: entry[0]):
        texts = [line for _, line in group]
        if kind == "heading":
            yield from (f"## {text}" for text in texts)
        elif kind == "code":
            yield fenced("\n".join(texts).strip("\n").split("\n"))
        else:
            for filled, paragraph in groupby(texts, key=bool):
                yield _paragraph(list(paragraph)) if filled else ""


def _with_gaps(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Each line with what it is part of. An empty one is part of what comes before it, but for
    headings.
    """
    kind = "prose"
    for line in lines:
        if line.strip():
            indent = len(line) - len(line.lstrip())
            kind = "code" if indent >= CODE else "prose" if indent >= PROSE else "heading"
            yield kind, line[CODE:] if kind == "code" else line.strip()
        elif kind != "heading":
            yield kind, ""


def _paragraph(lines: list[str]) -> str:
    """Lists keep their lines; what is between ticks stays as it is."""
    items = re.split(r"\n(?=[-*] )", "\n".join(lines))
    return "\n".join(_item(item) for item in items)


def _item(text: str) -> str:
    bullet, text = ("- ", text[2:]) if text[:2] in ("- ", "* ") else ("", text)
    parts = _TICKED.split(" ".join(text.split()))
    return bullet + " ".join(
        part.strip() if "`" in part else prose(part) for part in parts if part.strip()
    )
