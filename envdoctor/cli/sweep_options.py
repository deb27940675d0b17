"""Arguments and options of sweep, compare and workers, one type each."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

SpecFile = Annotated[
    Path | None,
    Option(
        "--file",
        metavar="FILE",
        help=(
            "Examine the SPECs of this file, one a line, each with its own -k NAME=VALUE,"
            " --import MODULE, --action VALUE or --actions SPEC. # begins a comment."
        ),
    ),
]
Registry = Annotated[
    str | None,
    Option(
        "--registry",
        metavar="MODULE",
        help="Examine each id that this library registers, after the imports of --import.",
    ),
]
Match = Annotated[
    list[str] | None,
    Option("--match", metavar="GLOB", help="Examine only these ids of the registry: 'MiniGrid-*'."),
]
Out = Annotated[
    Path, Option("--out", metavar="DIR", help="Write results, pages and an index to this folder.")
]
SweepJobs = Annotated[
    int | None,
    Option(
        "--jobs",
        metavar="N",
        min=1,
        max=1000,
        help=(
            "Examine this many at the same time, each on its own processors. Default: one"
            " for two processors."
        ),
        show_default=False,
    ),
]
SweepFix = Annotated[
    bool,
    Option(
        "--fix",
        help=(
            "Write the verified remedies into your files, one environment after the other; the"
            " Python files of the repository have to be committed."
        ),
    ),
]
Resume = Annotated[
    bool,
    Option("--resume", help="Examine what has no result yet. Without a SPEC: all of the sweep."),
]
Retries = Annotated[
    int,
    Option(
        "--retries",
        metavar="N",
        min=0,
        max=100,
        help="Repeat an examination that died this often, then call it inconclusive.",
    ),
]
On = Annotated[
    str,
    Option(
        "--on",
        metavar="WHERE",
        help=(
            "Where to examine. local: all of it here. shard:2/8: the second of eight"
            " shares. ray or ray:HOST:6379: on a Ray cluster."
        ),
    ),
]
WorkingDir = Annotated[
    Path | None,
    Option(
        "--working-dir",
        metavar="DIR",
        help=(
            "With --on ray: send this folder to the nodes. Default: they have it at the same path."
        ),
    ),
]
Since = Annotated[
    Path | None,
    Option(
        "--since", metavar="DIR", help="Show in the index what changed since this earlier sweep."
    ),
]
FoldersOrSpecs = Annotated[
    list[str],
    Argument(
        metavar="DIR DIR|SPEC...",
        help="Two folders of sweeps, the earlier one first; or environments and what differs.",
    ),
]
Pythons = Annotated[
    list[str] | None,
    Option(
        "--python", metavar="PATH", help="With SPECs: the interpreter before, then the one after."
    ),
]
Refs = Annotated[
    list[str] | None,
    Option(
        "--ref",
        metavar="COMMIT",
        help=(
            "With SPECs: a commit of this repository. One alone is compared with the files"
            " as they are."
        ),
    ),
]
Versions = Annotated[
    list[str] | None,
    Option(
        "--with",
        metavar="PACKAGE==VERSION",
        help=("With SPECs: versions of packages. One alone is compared with what is installed."),
    ),
]
MostWorkers = Annotated[
    int,
    Option(
        "--most",
        metavar="N",
        min=0,
        max=1000,
        help="Try up to this many workers. 0: as many as this machine has cores.",
    ),
]
WorkerSteps = Annotated[
    int,
    Option(
        "--steps",
        metavar="N",
        min=100,
        max=10_000_000,
        help="Count this many steps of each worker.",
    ),
]
