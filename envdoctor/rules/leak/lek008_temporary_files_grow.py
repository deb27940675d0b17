"""The number of temporary files grows from cycle to cycle.

What it does
    Counts the files below the folder for temporary files before and after blocks of whole cycles.
    CLS010 reports what every life leaves; this one also sees what only some do: a video of every
    fifth episode, a level now and then.

Why it matters
    The disk for temporary files is small and shared with others; on many machines it is memory.

How to fix it
    Delete it, or let the standard library do so:

        self._folder = tempfile.TemporaryDirectory()

        def close(self):
            self._folder.cleanup()
            super().close()
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.finding import WARNING, Finding
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.examples import block, designs, direct_view, growing
from envdoctor.rules.engine.registry import WHERE_PLAYED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.growth import leaks_of
from envdoctor.rules.wording.growth import give_back, reached_after, report_acquired, sentence


@rule(
    "LEK008",
    "temporary-files-grow",
    severity=WARNING,
    where=WHERE_PLAYED,
    needs=("leak", "leak-workers"),
    meters=("files",),
    grows="temporary files",
    gives_way=(Cause.TEMPORARY_FILES_LEFT, Cause.INSTANCE_KEPT),
    follow_ups=("acquisitions",),
    also_reads=("acquisitions",),
)
def temporary_files_grow(view: View) -> Iterator[Finding]:
    for leak in leaks_of(view, "files"):
        reached = reached_after(leak, 10000)
        yield report_acquired(
            temporary_files_grow,
            view,
            leak,
            "file",
            (
                f"{sentence(leak, 'leaves', 'temporary file')}: 10000 after {reached}",
                give_back(view, leak, "delete"),
            ),
            ("files", (Cause.TEMPORARY_FILES_LEFT,)),
        )


EXAMPLES = (
    Example(
        "a level with every fifth instance",
        direct_view(*growing(files=0.2), *designs("files", create=0.2)),
        "every 5th new instance leaves 1 temporary file: 10000 after about 52000 instances;"
        " steady through 231 cycles",
    ),
    Example(
        "a lock that stays",
        direct_view(block(7, files=1), *(block(cycles, files=0) for cycles in (7, 7, 14, 28))),
    ),
)
