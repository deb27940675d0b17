"""The page on illnesses in company: rows in, Markdown out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tests.company.catalogue import ILLNESSES

PAGE = Path(__file__).parents[2] / "docs" / "company.md"

Row = Mapping[str, Any]

HEAD = """\
# Several illnesses at once

A real environment is rarely sick in one way only. One illness must not hide another one, so the tests
mix them: each of {illnesses} illnesses is a mixin for a Gymnasium environment, and environments with
one, two or three of them are examined by the installed command.

```sh
make company                                             # all pairs and 300 triples; hours
python -m tests.company --pairs 20 --triples 20 --seed 1 # a sample
python -m tests.company ThreadLeft+ListPerStep           # one company, with what is found
```

An illness is *told* when a finding names it: by its code and, where two illnesses have the same code, by
the operation, the container or the error in its message. It is *not judged* when the report says so by
name, with the reason. It is *hidden* when its rule passed, or nothing was said of it. Each `check` of a
company also has a baseline that knows the first of its illnesses: what is new beside it has to stay open.
"""


def write(rows: Iterable[Row]) -> None:
    """Write the page."""
    PAGE.write_text(page(list(rows)))


def page(rows: list[Row]) -> str:
    """The whole page."""
    known = sum(not illness.burden for illness in ILLNESSES)
    parts = [HEAD.format(illnesses=known), figures(rows), unseen(rows), mixins()]
    return "\n".join(parts)


def figures(rows: list[Row]) -> str:
    """How many were told, by the size of the company."""
    lines = [
        "## What was reported",
        "",
        "| illnesses at once | command | runs | illnesses | told | not judged | hidden | told or named |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for size in (1, 2, 3):
        for command in ("check", "leak"):
            mine = [r for r in rows if len(r["company"]) == size and r["command"] == command]
            if mine:
                lines.append(_figures(f"{size} | {command}", mine))
    return "\n".join([*lines, _figures("all | both", rows), ""])


def _figures(what: str, rows: list[Row]) -> str:
    fates = Counter(fate[0] for row in rows for fate in row["fates"].values())
    whole = sum(fates.values())
    share = (fates["told"] + fates["not judged"]) / whole if whole else 1.0
    cells = (len(rows), whole, fates["told"], fates["not judged"], fates["hidden"])
    return f"| {what} | {' | '.join(map(str, cells))} | {share:.1%} |"


def unseen(rows: list[Row]) -> str:
    """The pairs in which one illness was not told, and why."""
    found: dict[tuple[str, str, str], None] = {}
    for row in rows:
        for name, (fate, reason) in row["fates"].items():
            if fate != "told":
                others = ", ".join(other for other in row["company"] if other != name) or "alone"
                found[name, others, f"{fate}: {reason}"] = None
    lines = [
        "## What stays unseen beside another one",
        "",
        "| illness | beside | what the report says |",
        "|---|---|---|",
        *(f"| {name} | {others} | {_cell(reason)} |" for name, others, reason in sorted(found)),
        "",
    ]
    return "\n".join(lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def mixins() -> str:
    """The illnesses, and what tells them."""
    lines = ["## The illnesses", "", "| mixin | what tells it |", "|---|---|"]
    for illness in ILLNESSES:
        told = ", ".join(f"[{code}](rules/{code}.md)" for code in illness.codes)
        lines.append(f"| {illness.name} | {told or 'nothing: it makes others hard to see'} |")
    return "\n".join([*lines, ""])
