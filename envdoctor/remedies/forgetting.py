"""What close() ends and reset() makes where there is none, together: close() forgets it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from envdoctor.model.remedy import Edit

MADE = re.compile(r"if self\.(\w+) is None:")
HELD = re.compile(r'if (?:self\.(\w+)|getattr\(self, "(\w+)", None\)) is not None:')
STEP = "    "


def forgetting(edits: Iterable[Edit]) -> list[Edit]:
    """The edits, where close() also forgets what it ends, if reset() makes that only where there is
    none: else a reset() after close() would use what is closed.
    """
    every = list(edits)
    made = {
        match[1]
        for edit in every
        if edit.method == "reset"
        for line in edit.lines
        if (match := MADE.fullmatch(line))
    }
    return [
        replace(edit, lines=_forgotten(edit.lines, made))
        if made and edit.method == "close"
        else edit
        for edit in every
    ]


def _forgotten(lines: Sequence[str], names: Iterable[str]) -> tuple[str, ...]:
    """`self.log = None` at the end of each block for these attributes, where it has none."""
    result: list[str] = []
    for number, line in enumerate(lines):
        result.append(line)
        match = HELD.fullmatch(line)
        name = (match[1] or match[2]) if match else ""
        if name not in names:
            continue
        forgets, end = f"{STEP}self.{name} = None", number + 1
        while end < len(lines) and lines[end].startswith(STEP):
            end += 1
        if forgets not in lines[number:end]:
            return (*result, *lines[number + 1 : end], forgets, *_forgotten(lines[end:], names))
    return tuple(result)
