"""Arguments and options of the commands, one type each."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from envdoctor.cli.parameters import STORAGES, VECTORIZERS
from envdoctor.reporters import own_formats

FORMATS = own_formats()

Specs = Annotated[
    list[str] | None,
    Argument(
        metavar="SPEC",
        help=(
            "CartPole-v1, package:Id-v0, package.module:name, path/to/file.py[:name], or a folder;"
            " else `specs` of the configuration, else this folder."
        ),
        show_default=False,
    ),
]
Spec = Annotated[
    str,
    Argument(
        metavar="SPEC",
        help="CartPole-v1, package:Id-v0, package.module:name, path/to/file.py[:name].",
    ),
]
Kwarg = Annotated[
    list[str] | None,
    Option(
        "--kwarg",
        "-k",
        metavar="NAME=VALUE",
        help="Constructor argument, in TOML: -k size=3 -k 'mode=\"a\"'.",
    ),
]
Imports = Annotated[
    list[str] | None,
    Option("--import", metavar="MODULE", help="Import this first, as your script does."),
]
Script = Annotated[
    str | None,
    Option(
        "--script",
        metavar="FILE",
        help=(
            "Your training script: its top level runs first, as in a spawned worker;"
            " 'train.py --seed 1' hands it arguments."
        ),
    ),
]
Python = Annotated[
    str | None,
    Option(
        "--python", metavar="PATH", help="The interpreter that owns the environment; else this one."
    ),
]
Select = Annotated[
    list[str] | None,
    Option(
        "--select",
        metavar="CODES",
        help="Judge only these: codes, prefixes (CLS), names; separated by commas.",
    ),
]
Ignore = Annotated[
    list[str] | None, Option("--ignore", metavar="CODES", help="Do not judge these.")
]
Managers = Annotated[
    list[str] | None,
    Option(
        "--managers",
        metavar="NAMES",
        help=f"Play under these only, or under `all`: {VECTORIZERS}.",
    ),
]
StartMethods = Annotated[
    list[str] | None,
    Option(
        "--start-methods",
        metavar="NAMES",
        help="Start workers in these ways only: fork, forkserver, spawn.",
    ),
]
FailOn = Annotated[
    str,
    Option(
        "--fail-on",
        metavar="SEVERITY",
        help="Exit with 1 from this severity on: error, warning or note.",
    ),
]
Timeout = Annotated[
    float,
    Option(
        "--timeout",
        metavar="SECONDS",
        min=0.1,
        help="For each import, make, reset, step and close.",
    ),
]
Budget = Annotated[
    str | None,
    Option(
        "--budget",
        metavar="TIME",
        help=(
            "For all scenarios of one environment, as 60s or 5m: the most telling first, the rest"
            " is named; else as long as it takes."
        ),
    ),
]
MemoryLimit = Annotated[
    str | None,
    Option(
        "--memory-limit",
        metavar="SIZE",
        help="For one environment and all that it starts, as 4G; else 80% of what is free.",
    ),
]
Seed = Annotated[
    int,
    Option(
        "--seed", metavar="N", min=0, max=2**32 - 1, help="For the first reset and the actions."
    ),
]
Jobs = Annotated[
    int, Option("--jobs", metavar="N", min=1, max=1000, help="Subjects examined at the same time.")
]
Steps = Annotated[
    int,
    Option(
        "--steps",
        metavar="N",
        min=1,
        max=10_000_000,
        help="Follow each whole episode for this many steps at most.",
    ),
]
Action = Annotated[
    str | None,
    Option(
        "--action",
        metavar="TOML",
        help=(
            "Play this action at each step, where none can be drawn: --action '\"[4]\"',"
            " --action '{message = \"hi\"}'."
        ),
    ),
]
Actions = Annotated[
    str | None,
    Option(
        "--actions",
        metavar="FUNCTION",
        help=(
            "Ask package.module:function or path/to/file.py:function for each action, with"
            " (observation, agent, step)."
        ),
    ),
]
Episodes = Annotated[
    int,
    Option(
        "--episodes",
        metavar="N",
        min=1,
        max=100_000,
        help="Play this many whole episodes in a row.",
    ),
]
Faults = Annotated[
    bool,
    Option(
        "--faults",
        help=(
            "Also make a null environment fail in each manager's worker: what would be seen, what"
            " stays."
        ),
    ),
]
Quick = Annotated[
    bool,
    Option(
        "--quick",
        help="The most telling minute: without a manager, and one vectorizer with spawned workers.",
    ),
]
NoTryRemedies = Annotated[
    bool,
    Option(
        "--no-try-remedies",
        help="Do not play remedies with a copy of your files: they come in words, without code.",
    ),
]
Cold = Annotated[
    bool,
    Option(
        "--cold",
        help="Import everything anew for each process, instead of forking it after the imports.",
    ),
]
ServiceCount = Annotated[
    str | None,
    Option(
        "--service-count",
        metavar="COMMAND",
        help=(
            "A command of the shell that prints how much a service keeps, as one whole number: it"
            " must not grow."
        ),
    ),
]
CheckThorough = Annotated[
    bool,
    Option("--thorough", help="All that is off by default: --faults, and every start method."),
]
Format = Annotated[
    str,
    Option(
        "--format",
        metavar="FORMAT",
        help=f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}.",
    ),
]
Folder = Annotated[
    Path,
    Argument(metavar="PATH", help="A folder or a Python file; else this folder."),
]
Since = Annotated[
    str | None,
    Option(
        "--since",
        metavar="REF",
        help=(
            "Only environments of which a source, or one that this imports in the project, changed"
            " since a commit, branch or tag of git."
        ),
    ),
]
Write = Annotated[bool, Option("--write", help="Write the files. What is there already stays.")]
ListFormat = Annotated[str, Option("--format", metavar="FORMAT", help="terminal or json.")]
SchemaFormat = Annotated[str, Option("--format", metavar="FORMAT", help="json or jsonl.")]
Output = Annotated[
    Path | None,
    Option("--output", metavar="FILE", help="Write the report there instead of to stdout."),
]
Reports = Annotated[
    list[str] | None,
    Option(
        "--report",
        metavar="FORMAT=FILE",
        help="Write the report there in that format as well; may be repeated.",
    ),
]
ExitZero = Annotated[bool, Option("--exit-zero", help="Exit with 0, with or without findings.")]
AllowInconclusive = Annotated[
    bool, Option("--allow-inconclusive", help="Exit with 0 where nothing could be judged.")
]
Anonymous = Annotated[
    bool,
    Option(
        "--anonymous", help="Name no user, machine or place: for reports that are shown to others."
    ),
]
Quiet = Annotated[
    int,
    Option("--quiet", "-q", count=True, show_default=False, help="Only findings; -qq: nothing."),
]
Verbose = Annotated[
    int,
    Option(
        "--verbose",
        "-v",
        count=True,
        show_default=False,
        help="Also what passed, and each scenario; -vv: where the time went.",
    ),
]

Cycles = Annotated[
    int | None,
    Option(
        "--cycles",
        metavar="N",
        min=1,
        max=1_000_000,
        help="How far to follow growth: 231; 455 if thorough.",
    ),
]
Thorough = Annotated[
    bool,
    Option(
        "--thorough",
        help=(
            "Find one leak in 50 cycles, not only one in 25: 119 cycles where nothing grows,"
            " not 35."
        ),
    ),
]
TimeBudget = Annotated[
    float,
    Option(
        "--time-budget",
        metavar="SECONDS",
        min=0.1,
        help="For the whole leak check; slow ones get fewer cycles.",
    ),
]
SaveMemray = Annotated[
    Path | None,
    Option(
        "--save-memray", metavar="DIR", help="Keep what memray recorded, for `memray flamegraph`."
    ),
]
LeakManagers = Annotated[
    list[str] | None,
    Option(
        "--managers",
        metavar="NAMES",
        help="Check these for leaks, too: in the parent and in each worker.",
    ),
]

Callable = Annotated[
    bool,
    Option(
        "--callable",
        help=(
            "SPEC names a function, such as one iteration of a training loop: it is called again"
            " and again."
        ),
    ),
]
Storage = Annotated[
    list[str] | None,
    Option(
        "--storage",
        metavar="NAMES",
        help=f"Fill replay storages, or `all`: {STORAGES}.",
    ),
]
Capacity = Annotated[
    int | None,
    Option(
        "--capacity",
        metavar="N",
        min=1,
        help="Transitions that a storage is to hold: 10000, or what there is room for.",
    ),
]

RuleName = Annotated[
    str, Argument(metavar="CODE", help="A code or a name, as `envdoctor rules` lists them.")
]

Save = Annotated[
    Path | None,
    Option(
        "--save",
        metavar="FILE",
        help="Save the run as it goes, for `envdoctor gate` and `envdoctor report`.",
    ),
]
ResultFile = Annotated[
    Path | None, Option("--result", hidden=True, help="For `envdoctor sweep`: what it keeps.")
]
Config = Annotated[
    Path | None,
    Option(
        "--config", metavar="FILE", help="Instead of the nearest pyproject.toml or envdoctor.toml."
    ),
]
NoConfig = Annotated[bool, Option("--no-config", help="Read no configuration file.")]
Baseline = Annotated[
    Path | None,
    Option(
        "--baseline",
        metavar="FILE",
        help="Known findings, which pass; more of them than known fails.",
    ),
]

Runs = Annotated[
    list[Path],
    Argument(
        metavar="RUN",
        help="Files that --save wrote, or the folder of a sweep. Several are judged as one run.",
    ),
]
JudgeSelect = Annotated[
    list[str] | None,
    Option(
        "--select",
        metavar="CODES",
        help="Judge only these; else what the run was judged by when it was played.",
    ),
]
RunsOrSpecs = Annotated[
    list[str] | None,
    Argument(
        metavar="RUN|SPEC",
        help="Files that --save wrote, the folder of a sweep, or environments to examine now.",
        show_default=False,
    ),
]
BaselineOutput = Annotated[
    Path | None,
    Option(
        "--output",
        metavar="FILE",
        help=(
            "Else the `baseline` of the configuration, or .envdoctor-baseline.toml; .json as well."
        ),
    ),
]
Reason = Annotated[str, Option("--reason", metavar="TEXT", help="Why new entries are accepted.")]
Update = Annotated[
    bool,
    Option(
        "--update",
        help="Take up what is new, drop what was judged and is gone, keep the reasons of the rest.",
    ),
]
Prune = Annotated[bool, Option("--prune", help="Only drop what was judged and is gone.")]
ConfigSchema = Annotated[bool, Option("--config", help="The one of the configuration.")]
