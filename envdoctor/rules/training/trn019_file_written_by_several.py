"""A file is written through several openings at once.

What it does
    Looks now and then at the files that are open for writing in the Pythons of a watched training.
    A file that was opened several times, by one process or by several, and written through each of
    these openings, is reported. Openings that a fork or dup() copied write one after the other, and
    those of mode "a" at the end only: neither is counted, nor is what is open for reading as well,
    such as a database, or was not written yet, such as a lock. The user's line that opens it is
    named where open() does, called by anything.

Why it matters
    Each opening has a position of its own, so that each writes over what the others wrote. Lines
    are lost and torn, and no exception says so: a monitor.csv that all workers share is garbled.

How to fix it
    Give each worker a file of its own:

        def make(rank):
            return lambda: Monitor(Arm(), f"logs/{rank}.monitor.csv")

        envs = SubprocVecEnv([make(rank) for rank in range(8)])
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.finding import UNKNOWN, WARNING, Finding, Location
from envdoctor.model.training import Training
from envdoctor.model.training_files import WrittenFile
from envdoctor.model.training_instances import Instances
from envdoctor.rules.engine.registry import WHERE_WATCHED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.hangs import short
from envdoctor.rules.evidence.training import nothing_made, of, training_of, watched_view
from envdoctor.rules.remedies.aims import own_files
from envdoctor.rules.wording.leftovers import listing


def _unjudged(view: View) -> str:
    looks = training_of(view).file_looks
    return nothing_made(view) or ("" if looks else "its files were not looked at")


@rule(
    "TRN019",
    "file-written-by-several",
    severity=WARNING,
    where=WHERE_WATCHED,
    needs=("watch",),
    blames_itself=True,
    unjudged=_unjudged,
)
def file_written_by_several(view: View) -> Iterator[Finding]:
    training = training_of(view)
    for file in training.written:
        name, number = file.path.rpartition("/")[2], len(file.pids)
        who = of(number, "process", "processes") if number > 1 else "one process"
        yield file_written_by_several.finding(
            f"{name}{_opened(file)} was open for writing {file.openings} times at once, in {who}:"
            " each opening writes over what the others wrote",
            'give each worker a file of its own, such as f"{rank}.monitor.csv"; or open it with'
            ' mode "a", and write whole lines.',
            aim=own_files(_place(training, file), name),
            location=file.lines[0] if file.lines else _place(training, file),
            key=(name,),
            blame=UNKNOWN,
            evidence={"path": file.path, "pids": list(file.pids)},
        )


def _opened(file: WrittenFile) -> str:
    """`, which train.py:16 in __init__ opens,`, or nothing."""
    lines = [f"{short(each.file)}:{each.line} in {each.function}" for each in file.lines]
    return f", which {listing(lines)} {'opens' if len(lines) == 1 else 'open'}," if lines else ""


def _place(training: Training, file: WrittenFile) -> Location | None:
    """The line that made the instances of these processes, where it is one."""
    places = {each.location for each in training.instances if each.pid in file.pids}
    return places.pop() if len(places) == 1 else None


_MAKE = Location("/train.py", 14, "make")


def _view(*written: WrittenFile, looks: int = 3) -> View:
    workers = tuple(Instances(pid, 1, "arm.Arm", _MAKE) for pid in (2, 3))
    return watched_view(Training((), 1, instances=workers, file_looks=looks, written=written))


EXAMPLES = (
    Example(
        "the monitor of each worker has the same name",
        _view(WrittenFile("/logs/monitor.csv", 2, (2, 3))),
        "monitor.csv was open for writing 2 times at once, in 2 processes: each opening"
        " writes over what the others wrote",
    ),
    Example(
        "two monitors in one process",
        _view(WrittenFile("/logs/monitor.csv", 2, (1,))),
        "monitor.csv was open for writing 2 times at once, in one process: each opening"
        " writes over what the others wrote",
    ),
    Example(
        "the line that opens it is known",
        _view(WrittenFile("/logs/monitor.csv", 2, (2, 3), (Location("/m.py", 16, "__init__"),))),
        "monitor.csv, which m.py:16 in __init__ opens, was open for writing 2 times at"
        " once, in 2 processes: each opening writes over what the others wrote",
    ),
    Example("a file for each", _view()),
    Example("not looked at", _view(looks=0)),
)
