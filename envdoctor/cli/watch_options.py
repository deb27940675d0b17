"""Options of the commands that watch trainings."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

Training = Annotated[
    list[str],
    Argument(metavar="COMMAND", help="The training, as you start it: -- python train.py --seed 1."),
]
Every = Annotated[
    str | None,
    Option(
        "--every",
        metavar="TIME",
        help=(
            "Show the state this often, such as 30s; 0: never. Default: each second in the"
            " last rows of a terminal, each minute as a line on stderr elsewhere."
        ),
        show_default=False,
    ),
]
TopEvery = Annotated[
    str | None,
    Option(
        "--every",
        metavar="TIME",
        help=(
            "Show the state this often, such as 30s. Default: each second on a terminal,"
            " once elsewhere."
        ),
        show_default=False,
    ),
]
AttachPid = Annotated[
    int,
    Argument(
        metavar="PID", help="The process of the training. Those that it started are included."
    ),
]
AttachFor = Annotated[
    str,
    Option("--for", metavar="TIME", help="Look at the training for this long, such as 30s or 5m."),
]
WatchedRun = Annotated[
    str | None,
    Argument(
        metavar="RUN",
        help="The PID of a training or of its `envdoctor watch`, or a file of its --save.",
        show_default=False,
    ),
]
LookAtHolders = Annotated[
    bool,
    Option(
        "--holders/--no-holders",
        help=(
            "Where memory grows, find what holds it. The process stops twice for this, some"
            " seconds with PyTorch."
        ),
    ),
]
Export = Annotated[
    list[str] | None,
    Option(
        "--export",
        metavar="KIND=TARGET",
        help=(
            "Hand on how it stands while it runs: jsonl=FILE, prometheus=:9090,"
            " prometheus=FILE.prom, tensorboard=DIR, otlp=http://HOST:4318; may be repeated."
        ),
        show_default=False,
    ),
]
ExportEvery = Annotated[
    str, Option("--export-every", metavar="TIME", help="Hand it on this often, such as 30s.")
]
InFront = Annotated[
    int | None, Option("--in-front", hidden=True, help="For launchers: the process in front.")
]
PlayControls = Annotated[
    bool,
    Option(
        "--controls",
        help=(
            "Where memory grows in the trainer's process, play the environment afterwards"
            " without the trainer, and compare."
        ),
    ),
]
WatchFailOn = Annotated[
    str | None,
    Option(
        "--fail-on",
        metavar="SEVERITY",
        help=(
            "Exit with 1 from this severity on, where the training exited with 0: error,"
            " warning or note. Default: never."
        ),
    ),
]
WatchOutput = Annotated[
    Path | None,
    Option("--output", metavar="FILE", help="Write the report to this file. Default: stderr."),
]
Diff = Annotated[
    bool,
    Option(
        "--diff",
        help=(
            "Run the training again on a copy of the script with code that closes what it makes,"
            " and write what was verified as one difference to stdout. What the training writes"
            " there goes to stderr. Exit with 1 where there is any."
        ),
    ),
]
Fix = Annotated[
    bool, Option("--fix", help="Do the same, and write what was verified into your files.")
]
