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
        help="A SPEC a line, each with its own -k NAME=VALUE and --import MODULE; # is a comment.",
    ),
]
Registry = Annotated[
    str | None,
    Option(
        "--registry",
        metavar="MODULE",
        help="Every id that this library has registered, after what --import names was imported.",
    ),
]
Match = Annotated[
    list[str] | None,
    Option("--match", metavar="GLOB", help="Of the registry, only these ids: 'MiniGrid-*'."),
]
Out = Annotated[
    Path,
    Option("--out", metavar="DIR", help="The folder of the sweep: results, pages and an index."),
]
SweepJobs = Annotated[
    int | None,
    Option(
        "--jobs",
        metavar="N",
        min=1,
        max=1000,
        help="Examinations at once, each on processors of its own; else one for two processors.",
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
    Option(
        "--resume", help="Go on with what has no result yet; without a SPEC, with all of the sweep."
    ),
]
Retries = Annotated[
    int,
    Option(
        "--retries",
        metavar="N",
        min=0,
        max=100,
        help="Begin an examination that died again this often, then call it inconclusive.",
    ),
]
On = Annotated[
    str,
    Option(
        "--on",
        metavar="WHERE",
        help=(
            "local: all of it here; shard:2/8: the second of eight shares; ray or ray:HOST:6379:"
            " on a Ray cluster."
        ),
    ),
]
WorkingDir = Annotated[
    Path | None,
    Option(
        "--working-dir",
        metavar="DIR",
        help="With --on ray: send this folder to the nodes; else they have it at the same path.",
    ),
]
Since = Annotated[
    Path | None,
    Option("--since", metavar="DIR", help="An earlier sweep: the index shows what has changed."),
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
    Option("--python", metavar="PATH", help="With SPECs: the interpreter before, and that after."),
]
Refs = Annotated[
    list[str] | None,
    Option(
        "--ref",
        metavar="COMMIT",
        help="With SPECs: a commit of this repository; one alone is compared with the files now.",
    ),
]
Versions = Annotated[
    list[str] | None,
    Option(
        "--with",
        metavar="PACKAGE==VERSION",
        help="With SPECs: versions of packages; one alone is compared with what is installed.",
    ),
]
MostWorkers = Annotated[
    int,
    Option(
        "--most",
        metavar="N",
        min=0,
        max=1000,
        help="Try up to this many workers; 0 is the cores of this machine.",
    ),
]
WorkerSteps = Annotated[
    int,
    Option(
        "--steps", metavar="N", min=100, max=10_000_000, help="Steps of each worker that count."
    ),
]
