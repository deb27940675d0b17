"""close() leaves shared memory.

What it does
    Lists the shared memory and the named semaphores that the environment's process and all that it
    started have made or mapped (files in /dev/shm, System V segments), before the constructor and
    after close().

Why it matters
    Shared memory belongs to the machine and not to the process: it stays after the process has
    ended, until a reboot. In a container /dev/shm is small (64 MiB is usual), and once it is full,
    others die of a bus error.

How to fix it
    `close()` of a segment only unmaps it; the one that made it also has to unlink it:

        def close(self):
            if self._frame is not None:
                self._frame.close()
                self._frame.unlink()
                self._frame = None
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from envdoctor.model.finding import Finding
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.examples import (
    direct_view,
    reading,
    sensor_life,
    trace,
    vector_view,
    verb,
)
from envdoctor.rules.engine.looked_at import LIFECYCLE
from envdoctor.rules.engine.measures import left_open
from envdoctor.rules.engine.registry import Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.wording.after_close import Leftovers
from envdoctor.rules.wording.leftovers import count, listing

SEMAPHORE = "/dev/shm/sem."  # noqa: S108
OF_MULTIPROCESSING = f"{SEMAPHORE}mp-"


@rule(
    "CLS011",
    "close-leaves-shared-memory",
    explains=Cause.SHARED_MEMORY_LEFT,
    verb="drop",
    sensors=("shared-memory",),
    looks_at={"life": LIFECYCLE},
    counts=left_open("shared-memory segments"),
    follow_ups=("acquisitions",),
    judges_rendered=True,
    cured_in_close=True,
)
def close_leaves_shared_memory(view: View) -> Iterator[Finding]:
    left = Leftovers.of(view, "shared-memory", "segment")
    names = left.items
    if of_a_failed_manager(view):
        names = {key: text for key, text in names.items() if not key.startswith(OF_MULTIPROCESSING)}
    # The lines that take semaphores are not known.
    has_semaphores = any(name.startswith(SEMAPHORE) for name in names)
    left = replace(left, items=names, what="" if has_semaphores else left.what)
    if names:
        yield left.finding(
            close_leaves_shared_memory,
            f"{_counted(names)}{left.gone}:"
            f" {listing(f'{name} ({size})' for name, size in names.items())}",
            f"unlink {left.pronoun}{left.in_close}; unmapping is not enough.",
        )


def _counted(left: Mapping[str, str]) -> str:
    """`2 shared-memory segments and 1 semaphore`."""
    semaphores = [name for name in left if name.startswith(SEMAPHORE)]
    segments = [name for name in left if not name.startswith(SEMAPHORE)]
    kinds = ((segments, "shared-memory segment"), (semaphores, "semaphore"))
    return " and ".join(count(names, noun) for names, noun in kinds if names)


def of_a_failed_manager(view: View) -> bool:
    """Return True if a manager of workers could not be closed: the semaphores of multiprocessing
    that connect it with them stay with it.
    """
    run = view.trace("life")
    return view.start_method is not None and run is not None and not run.verbs("close", "ended")


POINTS = ("before", "made", "held", "dropped", "collected")

FRAME = {"/dev/shm/frame": "4096 bytes"}  # noqa: S108

BOTH = (
    "close() leaves 1 shared-memory segment and 1 semaphore: /dev/shm/frame (4096 bytes),"
    " /dev/shm/sem.frames (32 bytes)"
)
QUEUE = {f"{SEMAPHORE}frames": "32 bytes"}

EXAMPLES = (
    Example(
        "a frame buffer is never unlinked",
        direct_view(
            sensor_life("shared-memory", before={}, made=FRAME, held=FRAME, collected=FRAME)
        ),
        "close() leaves 1 shared-memory segment: /dev/shm/frame (4096 bytes)",
    ),
    Example(
        "a queue's semaphore is never unlinked",
        direct_view(
            sensor_life(
                "shared-memory",
                before={},
                made=FRAME | QUEUE,
                held=FRAME | QUEUE,
                collected=FRAME | QUEUE,
            )
        ),
        BOTH,
    ),
    Example(
        "the semaphores of a manager whose close() failed are its own",
        vector_view(
            trace(
                *(
                    reading(
                        point,
                        {
                            "shared-memory": (
                                {f"{OF_MULTIPROCESSING}x8v15ez1": "32 bytes"}
                                if point != "before"
                                else {}
                            )
                        },
                    )
                    for point in POINTS
                ),
                verb("make"),
                verb("close", "raised"),
                verb("drop"),
            )
        ),
    ),
    Example(
        "the frame buffer goes with close()",
        direct_view(sensor_life("shared-memory", before={}, held={}, collected={})),
    ),
)
