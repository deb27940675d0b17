"""Edits of close() together: it forgets what reset() makes, and asks for nothing forgotten."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from envdoctor.model.errors import Frame
from envdoctor.model.remedy import FIRST, INSTEAD, Edit
from envdoctor.remedies.source import Source

MADE = re.compile(r"if self\.(\w+) is None:")
HELD = re.compile(r'if (?:self\.(\w+)|getattr\(self, "(\w+)", None\)) is not None:')
FORGETS = re.compile(r" {4}self\.(\w+) = None")
STEP, CLOSE = "    ", "close"


def forgetting(edits: Iterable[Edit], source: Source) -> list[Edit]:
    """The edits, where close() also forgets what it ends, if reset() makes that only where there is
    none: else a reset() after close() would use what is closed. Of two that end the same, the one
    that asks for it after the other has forgotten it goes.
    """
    every = list(edits)
    first = [line for edit in every if _is_first_in_close(edit) for line in edit.lines]
    gone = {match[1] for line in first if (match := FORGETS.fullmatch(line))}
    every = [replace(edit, lines=()) if _asks_for(edit, gone, source) else edit for edit in every]
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


def _is_first_in_close(edit: Edit) -> bool:
    return edit.method == CLOSE and edit.position == FIRST


def _asks_for(edit: Edit, names: Collection[str], source: Source) -> bool:
    """Return True for a block in the place of a statement of close() that is done only where one of
    these attributes holds something. Case: `self.shell.kill()`, which is guarded for one finding,
    and ended and forgotten above for another.
    """
    match = HELD.fullmatch(edit.lines[0]) if edit.position == INSTEAD and edit.lines else None
    name = (match[1] or match[2]) if match else ""
    around = source.around(Frame(edit.file, edit.line)) if name in names else None
    if around is None or not all(line.startswith(STEP) for line in edit.lines[1:]):
        return False
    return around[1].name == CLOSE


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
