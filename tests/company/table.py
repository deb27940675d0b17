"""The page on illnesses in company: rows in, Markdown out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tests.company.catalogue import ILLNESSES
from tests.company.playing import HIDDEN, NOT_JUDGED, REPORTED, settles

PAGE = Path(__file__).parents[2] / "docs" / "company.md"

Row = Mapping[str, Any]
Key = tuple[tuple[str, ...], str]
#: The best first.
FATES = (REPORTED, NOT_JUDGED, HIDDEN)

HEAD = """\
# Several illnesses at once

A real environment is rarely sick in one way only. One illness must not hide another one, so the tests
mix them: each of {illnesses} illnesses is a mixin for a Gymnasium environment, and environments with
several of them are examined by the installed command.

```sh
make company                                             # all pairs and 300 triples; hours
python -m tests.company --pairs 20 --triples 20 --seed 1 # a sample
python -m tests.company ThreadLeft+ListPerStep           # one company, with what is found
```

An illness is *told* when a finding names it: by its code and, where two illnesses have the same code, by
the operation, the container or the error in its message. It is *not judged* when the report says so by
name, with the reason. It is *hidden* when its rule passed, or nothing was said of it.

Pairs and triples stand together in companies of up to eight: where a company tells both illnesses of a
pair, neither hides the other. A pair of which none tells both is played alone, and that counts.
Each `check` is saved, and judged once more with a baseline for each of its illnesses: what is new
beside a known one has to stay open, and the exit code has to be that of what is open.
"""


def write(rows: Iterable[Row], asked: Iterable[Key]) -> None:
    """Write the page."""
    PAGE.write_text(page(list(rows), list(asked)))


def page(rows: list[Row], asked: list[Key]) -> str:
    """The whole page."""
    known = sum(not illness.burden for illness in ILLNESSES)
    last = verdicts(rows, asked)
    parts = [HEAD.format(illnesses=known), figures(last), runs(rows), unseen(last), mixins()]
    return "\n".join(parts)


def verdicts(rows: list[Row], asked: list[Key]) -> dict[Key, Row]:
    """The row that says what becomes of each company: one that settles it, else its own."""
    chosen = {}
    for names, command in asked:
        mine = [row for row in rows if row["command"] == command]
        settled = [row for row in mine if settles(row, names)]
        own = [row for row in mine if tuple(row["company"]) == names]
        if settled or own:
            chosen[names, command] = (settled or own)[-1]
    return chosen


def figures(last: Mapping[Key, Row]) -> str:
    """Return the table of companies of each size that were reported, named, or hide something."""
    lines = [
        "## What was reported",
        "",
        "| illnesses at once | command | companies | all told | not judged, with the reason | hidden | passed a gate |",
        "|---|---|---|---|---|---|---|",
    ]
    for size in (1, 2, 3):
        for command in ("check", "leak"):
            mine = {
                key: row for key, row in last.items() if (len(key[0]), key[1]) == (size, command)
            }
            if mine:
                lines.append(f"| {size} | {command} | {_figures(mine)} |")
    return "\n".join([*lines, f"| all | both | {_figures(last)} |", ""])


def _figures(last: Mapping[Key, Row]) -> str:
    counts = Counter(_worst(row, names) for (names, _), row in last.items())
    gates = sum(bool(row["gate"]) for (names, _), row in last.items() if not settles(row, names))
    return " | ".join(map(str, (len(last), *(counts[fate] for fate in FATES), gates)))


def _worst(row: Row, names: Iterable[str]) -> str:
    fates = [row["fates"].get(name, (REPORTED,))[0] for name in names]
    return max(fates, key=FATES.index)


def runs(rows: list[Row]) -> str:
    """Return the table of runs, and how often illnesses were reported in them."""
    lines = [
        "## What was played",
        "",
        "| illnesses at once | command | runs | illnesses | told | not judged | hidden |",
        "|---|---|---|---|---|---|---|",
    ]
    sizes = sorted({(len(row["company"]), row["command"]) for row in rows})
    for size, command in sizes:
        mine = [row for row in rows if (len(row["company"]), row["command"]) == (size, command)]
        counts = Counter(fate[0] for row in mine for fate in row["fates"].values())
        cells = (size, command, len(mine), sum(counts.values()), *(counts[fate] for fate in FATES))
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join([*lines, ""])


def unseen(last: Mapping[Key, Row]) -> str:
    """The companies in which one illness was not told, and why."""
    hidden: dict[tuple[str, str, str], None] = {}
    for (names, _), row in last.items():
        for name in names:
            fate, reason = row["fates"].get(name, (REPORTED, ""))
            if fate != REPORTED:
                others = ", ".join(other for other in names if other != name) or "alone"
                hidden[name, others, f"{fate}: {reason}"] = None
    lines = [
        "## What stays unseen beside another one",
        "",
        "| illness | beside | what the report says |",
        "|---|---|---|",
        *(f"| {name} | {others} | {_cell(reason)} |" for name, others, reason in sorted(hidden)),
        "",
    ]
    return "\n".join(lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def mixins() -> str:
    """The illnesses, and what tells them."""
    lines = ["## The illnesses", "", "| mixin | what tells it |", "|---|---|"]
    for illness in ILLNESSES:
        links = ", ".join(f"[{code}](rules/{code}.md)" for code in illness.codes)
        lines.append(f"| {illness.name} | {links or 'nothing: it makes others hard to see'} |")
    return "\n".join([*lines, ""])
