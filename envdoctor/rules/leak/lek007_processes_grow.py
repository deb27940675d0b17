"""The number of child processes grows from cycle to cycle.

What it does
    Counts the processes below this one, also those that ended and were not waited for,
    before and after blocks of whole cycles, and gives each a moment to end. CLS008 reports what
    every life leaves; this one also sees what only some do.

Why it matters
    A simulator that runs on takes a core and its memory with it, and outlives the training.

How to fix it
    End it, and wait for it, so that it does not stay as a zombie:

        def close(self):
            self._encoder.terminate()
            self._encoder.wait(timeout=5)
            super().close()
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.finding import ERROR, Finding, Location
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.examples import block, designs, direct_view, growing
from envdoctor.rules.engine.registry import WHERE_PLAYED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.acquisitions import site_of
from envdoctor.rules.evidence.growth import leaks_of, returned_by
from envdoctor.rules.remedies.aims import aim_at
from envdoctor.rules.wording.growth import (
    give_back,
    held,
    horizon,
    reached_after,
    report,
    sentence,
    started_at,
)


@rule(
    "LEK007",
    "processes-grow",
    explains=Cause.PROCESSES_GROW,
    where=WHERE_PLAYED,
    needs=("leak", "leak-workers"),
    meters=("processes",),
    grows="processes",
    gives_way=(Cause.PROCESSES_LEFT, Cause.INSTANCE_KEPT),
    follow_ups=("acquisitions",),
    also_reads=("acquisitions",),
)
def processes_grow(view: View) -> Iterator[Finding]:
    for leak in leaks_of(view, "processes"):
        site = site_of(view, "process", leak)
        line = Location.at(site.frame) if site else None
        message = (
            f"{sentence(leak, 'leaves', 'process', 'processes')}: 100 after"
            f" {reached_after(leak, 100)}{held(view, leak)}; {horizon(leak)}"
        )
        yield report(
            processes_grow,
            view,
            leak,
            (message, f"{give_back(view, leak, 'end and wait for')}{started_at(line)}."),
            line,
            ERROR,
            aim=aim_at("process", [site] if site else []),
            explained_by=returned_by(
                view, leak, "processes", (Cause.PROCESSES_LEFT,), (Cause.INSTANCE_KEPT,)
            ),
        )


EXAMPLES = (
    Example(
        "a simulator for each instance",
        direct_view(block(7, processes=7), block(7, processes=7)),
        (
            (
                "every cycle of make, reset, steps and close leaves 1 process: 100 after 100"
                " cycles; steady through 14 cycles"
            ),
        ),
    ),
    Example(
        "every second encoder is forgotten",
        direct_view(*growing(processes=0.5), *designs("processes", reset=0.5)),
        (
            (
                "every other reset() leaves 1 process: 100 after about 200 resets; steady through"
                " 231 cycles"
            ),
        ),
    ),
    Example(
        "a server that is started once",
        direct_view(
            block(7, processes=1), *(block(cycles, processes=0) for cycles in (7, 7, 14, 28))
        ),
    ),
)
