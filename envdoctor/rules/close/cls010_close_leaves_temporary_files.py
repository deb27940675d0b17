"""close() leaves temporary files.

What it does
    Gives the environment's process a temporary directory of its own, and lists it before the
    constructor and after close(). A file that was there before, and only grew, is not counted.

Why it matters
    Levels, recordings and caches of every environment that was ever made pile up in /tmp until the
    disk is full, or until the memory is, where /tmp is a memory file system.

How to fix it
    Let an object own the directory, and clean it up in close():

        def __init__(self):
            self._directory = tempfile.TemporaryDirectory(prefix="maze-")

        def close(self):
            self._directory.cleanup()
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from envdoctor.model.finding import WARNING, Finding
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.examples import direct_view, sensor_life
from envdoctor.rules.engine.looked_at import LIFECYCLE
from envdoctor.rules.engine.measures import left_open
from envdoctor.rules.engine.registry import Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.wording.after_close import Leftovers
from envdoctor.rules.wording.leftovers import listing


@rule(
    "CLS010",
    "close-leaves-temporary-files",
    explains=Cause.TEMPORARY_FILES_LEFT,
    severity=WARNING,
    verb="drop",
    sensors=("files",),
    looks_at={"life": LIFECYCLE},
    counts=left_open("temporary files"),
    follow_ups=("acquisitions",),
    judges_rendered=True,
    cured_in_close=True,
)
def close_leaves_temporary_files(view: View) -> Iterator[Finding]:
    left = Leftovers.of(view, "files", "file")
    life = view.last_life()
    earlier = life.by_key("files", "before") if life and left.items else {}
    made = {path: size for path, size in left.items.items() if path not in earlier}
    left = replace(left, items=made)
    if made:
        yield left.finding(
            close_leaves_temporary_files,
            f"{left.count('temporary file')}{left.gone}:"
            f" {listing(f'$TMPDIR/{path}' for path in made)}",
            f"remove {left.pronoun}{left.in_close}.",
        )


LEVEL = {"maze-1/level": "12 bytes"}

EXAMPLES = (
    Example(
        "the level's directory stays",
        direct_view(sensor_life("files", before={}, held=LEVEL, collected=LEVEL)),
        "close() leaves 1 temporary file: $TMPDIR/maze-1/level",
    ),
    Example(
        "only the last reference removes it",
        direct_view(sensor_life("files", before={}, held=LEVEL, dropped={}, collected={})),
        "close() leaves 1 temporary file until the closed object is dropped: $TMPDIR/maze-1/level",
    ),
    Example(
        "a cache that all lives share grows",
        direct_view(
            sensor_life(
                "files",
                before={"cache": "10 bytes"},
                held={"cache": "20 bytes"},
                collected={"cache": "20 bytes"},
            )
        ),
    ),
)
