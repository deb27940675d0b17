"""Temporary files or folders of a training are still there when it has ended.

What it does
    Looks at each temporary file and folder that a line of the user's makes with `tempfile`, the
    first 256 of each line and process. Reported are lines that made 16 at least in a process which
    ended by itself, nine of ten of which are there when the training has ended.

    Files that are made in another way are not counted. It is a note: some scripts keep what they
    made, and say so by the name of the folder alone.

Why it matters
    What each episode leaves fills the disk, or the memory, where /tmp is one. The machine runs out
    of it days later, and the error comes from the next line that writes.

How to fix it
    Let the folder go with what uses it:

        def reset(self, *, seed=None, options=None):
            if self._folder is not None:
                self._folder.cleanup()
            self._folder = tempfile.TemporaryDirectory()
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.errors import Frame
from envdoctor.model.finding import NOTE, UNKNOWN, Finding, Location
from envdoctor.model.page import TEMPORARY
from envdoctor.model.training import Training, TrainingProcess
from envdoctor.model.training_aims import DeleteFolder
from envdoctor.model.training_files import TemporaryFiles
from envdoctor.rules.engine.measures import counted
from envdoctor.rules.engine.registry import WHERE_WATCHED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.hangs import short
from envdoctor.rules.evidence.training import nothing_made, of, training_of, watched_view

LEAST, SHARE = 16, 0.9  # of a line: how many it made, and how much of that is left


def unjudged(view: View) -> str:
    """Return why it is not known whether an environment leaves some, or nothing."""
    return "" if any(_left(training_of(view))) else nothing_made(view)


@rule(
    "TRN029",
    "temporary-files-left",
    severity=NOTE,
    where=WHERE_WATCHED,
    needs=("watch",),
    blames_itself=True,
    unjudged=unjudged,
    counts=counted("temporary files that are left", "files"),
)
def temporary_files_left(view: View) -> Iterator[Finding]:
    lines: dict[Location, list[TemporaryFiles]] = {}
    for each in _left(training_of(view)):
        lines.setdefault(each.location, []).append(each)
    for place, processes in lines.items():
        made, left = sum(each.made for each in processes), sum(each.left for each in processes)
        function = "" if place.function == "<module>" else f" in {place.function}()"
        where = f" in {of(len(processes), 'process', 'processes')}" if len(processes) > 1 else ""
        first = "the first " if max(each.made for each in processes) == TEMPORARY else ""
        yield temporary_files_left.finding(
            f"{left} of {first}{made} temporary files or folders that"
            f" {short(place.file)}:{place.line}{function} made{where} are still"
            " there when the training has ended",
            "delete it when it is not needed any more, before the next one is made; or keep a"
            " tempfile.TemporaryDirectory(), which is deleted with the last reference to it.",
            location=place,
            key=("temporary", place.function),
            blame=UNKNOWN,
            aim=DeleteFolder(Frame(place.file, place.line)),
            evidence={"made": made, "left": left},
        )


def _left(training: Training) -> Iterator[TemporaryFiles]:
    """The files of lines of processes that ended by themselves, where nearly all are left."""
    for each in training.temporary:
        process = training.process(each.pid)
        has_ended = process is not None and process.exits is not None
        if has_ended and each.made >= LEAST and each.left >= SHARE * each.made:
            yield each


_RESET = Location("/layout.py", 24, "LayoutEnv.reset")


def _example(*counts: tuple[int, int], exits: float | None = 9.0) -> View:
    """A line that makes so many in each process, of which some are left."""
    processes = tuple(TrainingProcess(7 + at, exits=exits) for at in range(len(counts)))
    files = (TemporaryFiles(7 + at, _RESET, *each) for at, each in enumerate(counts))
    return watched_view(Training((), 7, processes=processes, temporary=tuple(files)))


EXAMPLES = (
    Example(
        "each episode leaves one",
        _example((200, 200)),
        "200 of 200 temporary files or folders that layout.py:24 in LayoutEnv.reset() made"
        " are still there when the training has ended",
    ),
    Example(
        "in workers",
        _example((64, 63), (32, 32), (8, 8)),
        "95 of 96 temporary files or folders that layout.py:24 in LayoutEnv.reset() made"
        " in 2 processes are still there when the training has ended",
    ),
    Example(
        "more than are journaled",
        _example((TEMPORARY, TEMPORARY)),
        "256 of the first 256 temporary files or folders that layout.py:24 in"
        " LayoutEnv.reset() made are still there when the training has ended",
    ),
    Example("some are kept", _example((200, 20))),
    Example("the last one is left", _example((200, 1))),
    Example("few are made", _example((4, 4))),
    Example("a process was killed: its own code did not end", _example((64, 64), exits=None)),
)
