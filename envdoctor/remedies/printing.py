"""Changes as lines to paste: a comment that names the place, then the lines as they stand there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from envdoctor.model.remedy import Change


def listing(changes: Iterable[Change]) -> tuple[str, ...]:
    """Return the lines to print. `# after line 26 of arm.py, in Arm.close()`: there the lines go
    in.
    """
    return tuple(line for change in changes for line in (_place(change), *_lines(change)))


def _place(change: Change) -> str:
    name = change.file.rsplit("/", 1)[-1]
    last = change.line + change.deleted - 1
    if not change.deleted:
        where = f"after line {change.line - 1} of {name}" if change.line > 1 else f"first in {name}"
    elif last == change.line:
        where = f"instead of line {change.line} of {name}"
    else:
        where = f"instead of lines {change.line} to {last} of {name}"
    return f"# {where}" + (f", in {change.place}" if change.place else "")


def _lines(change: Change) -> Iterator[str]:
    yield from change.lines or ("# (nothing)",)
