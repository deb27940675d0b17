"""Changes as lines to paste: a comment that names the place, then the lines as they stand there."""

from __future__ import annotations

from collections.abc import Iterable

from envdoctor.model.remedy import Change


def listing(changes: Iterable[Change]) -> tuple[str, ...]:
    """Return the lines to print. `# after line 26 of arm.py, in Arm.close()`: there the lines go
    in.
    """
    return tuple(line for change in changes for line in (_place(change), *change.lines))


def _place(change: Change) -> str:
    name = change.file.rsplit("/", 1)[-1]
    last = change.line + change.deleted - 1
    lines = f"{change.line}" if last == change.line else f"{change.line} to {last}"
    word = "line" if last == change.line else "lines"
    if not change.lines:
        where = f"remove {word} {lines} of {name}"
    elif not change.deleted:
        where = f"after line {change.line - 1} of {name}" if change.line > 1 else f"first in {name}"
    else:
        where = f"instead of {word} {lines} of {name}"
    return f"# {where}" + (f", in {change.place}" if change.place else "")
