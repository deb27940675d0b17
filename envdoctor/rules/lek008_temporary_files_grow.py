"""The number of temporary files grows from cycle to cycle.

What it does
    Counts the files below the folder for temporary files before and after blocks of whole cycles. What every life leaves is
    told by CLS010; this one also sees what only some do: a video of every fifth episode, a level now and then.

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
from envdoctor.rules.cures import release
from envdoctor.rules.growth import leak_of
from envdoctor.rules.growth_words import after, at_line, horizon, report, sentence
from envdoctor.rules.registry import WHERE_PLAYED, Example, rule
from envdoctor.rules.samples import block, designs, direct_view, growing
from envdoctor.rules.view import View
from envdoctor.rules.words import single_taking


@rule("LEK008", "temporary-files-grow", severity=WARNING, where=WHERE_PLAYED, needs=("leak", "leak-workers"), meters=("files",))
def temporary_files_grow(view: View) -> Iterator[Finding]:
    leak = leak_of(view, "files")
    if leak is None:
        return
    line = single_taking(view, "file")
    yield report(
        temporary_files_grow,
        view,
        leak,
        (
            f"{sentence(leak, 'leaves', 'temporary file')}: 10000 after {after(leak, 10_000)}; {horizon(leak)}",
            f"delete it in {view.class_name}.close(){at_line(line)}.",
        ),
        line,
        WARNING,
        commands=release(view, "file", [line]) if line else (),
    )


EXAMPLES = (
    Example(
        "a level with every fifth instance",
        direct_view(*growing(files=0.2), *designs("files", create=0.2)),
        ("every 5th new instance leaves 1 temporary file: 10000 after about 52000 instances; steady through 231 cycles",),
    ),
    Example("a lock that stays", direct_view(block(7, files=1), *(block(cycles, files=0) for cycles in (7, 7, 14, 28)))),
)
