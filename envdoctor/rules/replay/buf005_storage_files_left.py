"""Files of a replay storage stay when it is gone.

What it does
    Lists the files that are mapped into memory while the storage is full, drops storage and
    environment, lets the process exit, and looks which of them are still there. For TorchRL's
    LazyMemmapStorage it also tries a storage with a scratch_dir: dropped, dropped with
    auto_cleanup=True, and killed. Files that the storage itself leaves are a note, because that is
    how it is meant.

Why it matters
    Memory-mapped observations are as large as the replay memory. A hundred runs of a search fill
    the disk, or the memory that a /tmp in memory takes.

How to fix it
    Unlink what no other process opens (the mapping stays valid), or remove the folder in close():

        frames = np.memmap(path, np.uint8, "w+", shape=shape)
        os.unlink(path)
        LazyMemmapStorage(capacity, scratch_dir=folder, auto_cleanup=True)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from envdoctor.analysis.replay_buffers import NAME
from envdoctor.model.environment_aims import UnlinkMapped
from envdoctor.model.facts import EmptiedStorage, KeptTransitions
from envdoctor.model.finding import ENVIRONMENT, MANAGER, NOTE, Finding
from envdoctor.model.trace import Trace
from envdoctor.model.units import size
from envdoctor.rules.engine.registry import DIRECT_ONLY, Example, rule
from envdoctor.rules.engine.view import View, subtract
from envdoctor.rules.evidence.replay_buffers import (
    Stored,
    filled,
    forecast,
    not_filled,
    stored,
    stored_view,
)
from envdoctor.rules.wording.leftovers import count, listing

HOME = "$TMPDIR/"


@rule(
    "BUF005",
    "storage-files-left",
    severity="warning",
    where=DIRECT_ONLY,
    needs=(NAME,),
    blames_itself=True,
    unjudged=not_filled,
)
def storage_files_left(view: View) -> Iterator[Finding]:
    for item in stored(view):
        yield from _environments(view, item)
        yield from _storages(item)


def _environments(view: View, item: Stored) -> Iterator[Finding]:
    left = _less(_left(item.filled), _left(item.control))
    if left:
        yield storage_files_left.finding(
            f"{count(left, 'file')} with {size(sum(left.values()))} that {item.name} had mapped"
            f" stay when it is dropped and the process has exited: {listing(sorted(left))}",
            f"let {view.class_name} unlink a file as soon as it is mapped, or remove it in"
            " close().",
            aim=UnlinkMapped(),
            location=view.locate("step"),
            evidence={"storage": item.name, "files": left},
            blame=ENVIRONMENT,
        )


def _left(trace: Trace | None) -> dict[str, int]:
    """{path: bytes} of files that were mapped, and stayed after the drop and after the exit,
    where that was seen.
    """
    if trace is None:
        return {}
    mapped = set((trace.fact(KeptTransitions) or KeptTransitions()).mapped)
    stays = {
        path: number
        for path, number in (trace.fact(EmptiedStorage) or EmptiedStorage()).files.items()
        if path in mapped
    }
    after = trace.left_files
    return (
        stays
        if after is None
        else {path: number for path, number in stays.items() if path.removeprefix(HOME) in after}
    )


def _less(left: Mapping[str, int], theirs: Mapping[str, int]) -> dict[str, int]:
    rest = subtract({path: path for path in left}, theirs)
    return {path: left[path] for path in rest}


def _storages(item: Stored) -> Iterator[Finding]:
    """Report the files that TorchRL's own storage leaves in its scratch_dir."""
    scratch = item.emptied.scratch or {}
    stays = {how: files for how, files in scratch.items() if files}
    if stays:
        how = ", ".join(f"{how} ({count(files, 'file')})" for how, files in stays.items())
        yield storage_files_left.finding(
            f"{item.forecast.class_name} with a scratch_dir leaves its files there: {how}",
            "without a scratch_dir it has no files to leave; with one, pass auto_cleanup=True, and"
            " remove the folder of a run that was killed.",
            evidence={"storage": item.name, "scratch": scratch},
            severity=NOTE,
            blame=MANAGER,
        )


_FRAMES = "$TMPDIR/frames/1.bin"
_KEPT = {"mapped": [_FRAMES]}

EXAMPLES = (
    Example(
        "an episode's frames in a file",
        stored_view(
            forecast("ding"),
            filled(
                "ding",
                kept=_KEPT,
                emptied={"files": {_FRAMES: 4096, "$TMPDIR/x.log": 1}, "scratch": None},
            ),
        ),
        "1 file with 4.0 KiB that ding had mapped stay when it is dropped and the process"
        " has exited: $TMPDIR/frames/1.bin",
    ),
    Example(
        "as it is meant",
        stored_view(
            forecast("torchrl-memmap"),
            filled(
                "torchrl-memmap",
                emptied={"files": {}, "scratch": {"dropped": {"a": 1}, "killed": {}}},
            ),
        ),
        "ListStorage with a scratch_dir leaves its files there: dropped (1 file)",
    ),
    Example(
        "all are gone",
        stored_view(
            forecast("ding"), filled("ding", kept=_KEPT, emptied={"files": {}, "scratch": None})
        ),
    ),
)
