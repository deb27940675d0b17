"""Pasting what a remedy prints, as a user would: by the places that its comments name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

PLACE = re.compile(
    r"# (?:after line (?P<after>\d+) of|(?:instead of|remove) lines? (?P<first>\d+)(?: to (?P<last>\d+))? of"
    r"|first in) (?P<file>[\w.-]+\.py)(?:, in .+)?"
)


def paste(folder: Path, commands: Iterable[str]) -> None:
    """Change the files of a folder as these lines ask for."""
    changes: dict[str, list[tuple[int, int, list[str]]]] = {}
    file = ""
    for line in commands:
        place = PLACE.fullmatch(line)
        if place is None:
            changes[file][-1][2].append(line)
            continue
        file = place["file"]
        start = int(place["after"] or 0) if not place["first"] else int(place["first"]) - 1
        count = int(place["last"] or place["first"]) - start if place["first"] else 0
        changes.setdefault(file, []).append((start, count, []))
    assert changes, "nothing to paste"
    for name, made in changes.items():
        path = folder / name
        text = path.read_text().splitlines()
        for start, count, lines in sorted(made, key=lambda change: change[0], reverse=True):
            text[start : start + count] = lines
        path.write_text("\n".join(text) + "\n")
