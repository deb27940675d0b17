"""close() leaves shared memory.

What it does
    Lists the shared memory that the environment's process and all that it started have made or mapped (files in
    /dev/shm, System V segments), before the constructor and after close().

Why it matters
    Shared memory belongs to the machine and not to the process: it stays after the process has ended, until a reboot.
    In a container /dev/shm is small (64 MiB is usual), and once it is full, others die of a bus error.

How to fix it
    `close()` of a segment only unmaps it; the one that made it also has to unlink it:

        def close(self):
            if self._frame is not None:
                self._frame.close()
                self._frame.unlink()
                self._frame = None
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.finding import Finding
from envdoctor.rules.registry import Example, rule
from envdoctor.rules.samples import direct_view, sensor_life
from envdoctor.rules.view import View
from envdoctor.rules.words import count, its_close, leaves, listing, pronoun, still_there, taken_in


@rule("CLS011", "close-leaves-shared-memory", verb="drop", sensors=("shared-memory",))
def close_leaves_shared_memory(view: View) -> Iterator[Finding]:
    left, gone = still_there(view, "shared-memory")
    if not left:
        return
    named = listing(f"{name} ({size})" for name, size in left.items())
    yield close_leaves_shared_memory.finding(
        f"{leaves(view)} {count(left, 'shared-memory segment')}{gone}: {named}",
        f"unlink {pronoun(left)} in {its_close(view)}{taken_in(view, 'shared-memory')}; unmapping is not enough.",
        location=view.locate("close"),
        evidence={"held": left, "collected": view.left("shared-memory", "collected")},
    )


FRAME = {"/dev/shm/frame": "4096 bytes"}  # noqa: S108

EXAMPLES = (
    Example(
        "a frame buffer is never unlinked",
        direct_view(
            sensor_life(
                "shared-memory",
                before={},
                made=FRAME,
                held=FRAME,
                collected=FRAME,
            )
        ),
        ("close() leaves 1 shared-memory segment: /dev/shm/frame (4096 bytes)",),
    ),
    Example(
        "the frame buffer goes with close()",
        direct_view(sensor_life("shared-memory", before={}, held={}, collected={})),
    ),
)
