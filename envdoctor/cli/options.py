"""Arguments and options of the commands, one type each."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from envdoctor.cli.parameters import STORAGES, VECTORIZERS
from envdoctor.reporters import own_formats
from envdoctor.request.options import BOUNDS

FORMATS = own_formats()

Specs = Annotated[
    list[str] | None,
    Argument(
        metavar="SPEC",
        help=(
            "An environment: CartPole-v1, package:Id-v0, package.module:name,"
            " path/to/file.py[:name], or a folder. Default: `specs` of the configuration, or"
            " else this folder."
        ),
        show_default=False,
    ),
]
Spec = Annotated[
    str,
    Argument(
        metavar="SPEC",
        help=(
            "An environment: CartPole-v1, package:Id-v0, package.module:name,"
            " path/to/file.py[:name]."
        ),
    ),
]
Kwarg = Annotated[
    list[str] | None,
    Option(
        "--kwarg",
        "-k",
        metavar="NAME=VALUE",
        help="Give this argument to the constructor, in TOML: -k size=3 -k 'mode=\"a\"'.",
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
            "Your training script. Its top level runs first, as in a spawned worker."
            " 'train.py --seed 1' gives it arguments."
        ),
    ),
]
Python = Annotated[
    str | None,
    Option(
        "--python",
        metavar="PATH",
        help="The interpreter that owns the environment. Default: this one.",
    ),
]
Select = Annotated[
    list[str] | None,
    Option(
        "--select",
        metavar="CODES",
        help="Judge only these rules: codes, prefixes (CLS) or names, separated by commas.",
    ),
]
Ignore = Annotated[
    list[str] | None, Option("--ignore", metavar="CODES", help="Do not judge these rules.")
]
Managers = Annotated[
    list[str] | None,
    Option(
        "--managers", metavar="NAMES", help=f"Play under these only, or under `all`: {VECTORIZERS}."
    ),
]
StartMethods = Annotated[
    list[str] | None,
    Option(
        "--start-methods",
        metavar="NAMES",
        help="Start workers only by these methods: fork, forkserver, spawn.",
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
        help="Limit each import, make, reset, step and close.",
    ),
]
Budget = Annotated[
    str | None,
    Option(
        "--budget",
        metavar="TIME",
        help=(
            "Limit the time for one environment, as 60s or 5m. The most important scenarios"
            " come first, and those left out are named. Default: no limit."
        ),
    ),
]
MemoryLimit = Annotated[
    str | None,
    Option(
        "--memory-limit",
        metavar="SIZE",
        help=(
            "Limit the memory of one environment and all that it starts, as 4G. Default:"
            " 80% of what is free."
        ),
    ),
]
Seed = Annotated[
    int,
    Option(
        "--seed",
        metavar="N",
        min=BOUNDS["seed"][0],
        max=BOUNDS["seed"][1],
        help="Seed the first reset and the actions with this number.",
    ),
]
Jobs = Annotated[
    int,
    Option(
        "--jobs",
        metavar="N",
        min=BOUNDS["jobs"][0],
        max=BOUNDS["jobs"][1],
        help="Examine this many environments at the same time.",
    ),
]
Steps = Annotated[
    int,
    Option(
        "--steps",
        metavar="N",
        min=BOUNDS["steps"][0],
        max=BOUNDS["steps"][1],
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
        min=BOUNDS["episodes"][0],
        max=BOUNDS["episodes"][1],
        help="Play this many whole episodes in a row.",
    ),
]
Faults = Annotated[
    bool,
    Option(
        "--faults",
        help=(
            "Also make a null environment fail in the workers of each vectorizer, and show"
            " what is noticed and what is left behind."
        ),
    ),
]
Quick = Annotated[
    bool,
    Option(
        "--quick",
        help="Take a minute: play without a vectorizer, and under one with spawned workers.",
    ),
]
NoTryRemedies = Annotated[
    bool,
    Option(
        "--no-try-remedies",
        help="Do not try remedies on a copy of your files. They come without code.",
    ),
]
Diff = Annotated[
    bool,
    Option(
        "--diff",
        help=(
            "Write the verified remedies as one difference to stdout, for `git apply`, and exit"
            " with 1 where there are any."
        ),
    ),
]
Fix = Annotated[
    bool,
    Option(
        "--fix",
        help="Write the verified remedies into your files, examine again and show what is left.",
    ),
]
Cold = Annotated[
    bool,
    Option(
        "--cold", help="Import everything anew in each process. Default: fork after the imports."
    ),
]
ServiceCount = Annotated[
    str | None,
    Option(
        "--service-count",
        metavar="COMMAND",
        help=(
            "A shell command that prints how much a service keeps, as a whole number. It"
            " must not grow."
        ),
    ),
]
CheckThorough = Annotated[
    bool,
    Option(
        "--thorough", help="Also play what is off by default: --faults, and every start method."
    ),
]
Format = Annotated[
    str, Option("--format", metavar="FORMAT", help=f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}.")
]
Folder = Annotated[Path, Argument(metavar="PATH", help="A folder or a Python file.")]
Since = Annotated[
    str | None,
    Option(
        "--since",
        metavar="REF",
        help=(
            "Take only environments that changed since this commit, branch or tag of git,"
            " in their sources or in what these import from the project."
        ),
    ),
]
Write = Annotated[bool, Option("--write", help="Write the files. What exists already is kept.")]
WithBaseline = Annotated[
    bool,
    Option(
        "--baseline",
        help="Examine the environments, and write down what is wrong today: only more of it fails.",
    ),
]
ListFormat = Annotated[str, Option("--format", metavar="FORMAT", help="terminal or json.")]
SchemaFormat = Annotated[str, Option("--format", metavar="FORMAT", help="json or jsonl.")]
Output = Annotated[
    Path | None,
    Option("--output", metavar="FILE", help="Write the report to this file. Default: stdout."),
]
Reports = Annotated[
    list[str] | None,
    Option(
        "--report",
        metavar="FORMAT=FILE",
        help="Also write the report to this file, in this format. May be repeated.",
    ),
]
ExitZero = Annotated[
    bool, Option("--exit-zero", help="Exit with 0, also where there are findings.")
]
AllowInconclusive = Annotated[
    bool, Option("--allow-inconclusive", help="Exit with 0 where nothing could be judged.")
]
Anonymous = Annotated[
    bool,
    Option(
        "--anonymous",
        help="Leave out names of users, machines and places, for reports that others read.",
    ),
]
Quiet = Annotated[
    int,
    Option(
        "--quiet", "-q", count=True, show_default=False, help="Show only findings. -qq: nothing."
    ),
]
Verbose = Annotated[
    int,
    Option(
        "--verbose",
        "-v",
        count=True,
        show_default=False,
        help="Also show what passed, and each scenario. -vv: where the time went.",
    ),
]

Cycles = Annotated[
    int | None,
    Option(
        "--cycles",
        metavar="N",
        min=BOUNDS["cycles"][0],
        max=BOUNDS["cycles"][1],
        help="Follow growth for this many cycles. Default: 231, or 455 with --thorough.",
    ),
]
Thorough = Annotated[
    bool,
    Option(
        "--thorough",
        help=(
            "Find also a leak that occurs once in 50 cycles. Default: once in 25. Where"
            " nothing grows, this takes 119 cycles, not 35."
        ),
    ),
]
TimeBudget = Annotated[
    float,
    Option(
        "--time-budget",
        metavar="SECONDS",
        min=0.1,
        help="Limit the leak check. A slow environment gets fewer cycles.",
    ),
]
SaveMemray = Annotated[
    Path | None,
    Option(
        "--save-memray",
        metavar="DIR",
        help="Keep memray's recordings in this folder, for `memray flamegraph`.",
    ),
]
LeakManagers = Annotated[
    list[str] | None,
    Option(
        "--managers",
        metavar="NAMES",
        help="Also check these vectorizers for leaks, in the parent and in each worker.",
    ),
]

Callable = Annotated[
    bool,
    Option(
        "--callable",
        help=(
            "SPEC is a function, such as one iteration of a training loop. It is called"
            " again and again."
        ),
    ),
]
Storage = Annotated[
    list[str] | None,
    Option("--storage", metavar="NAMES", help=f"Fill replay storages, or `all`: {STORAGES}."),
]
Capacity = Annotated[
    int | None,
    Option(
        "--capacity",
        metavar="N",
        min=1,
        help=(
            "Let a storage hold this many transitions. Default: 10000, or what there is room for."
        ),
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
        "--config",
        metavar="FILE",
        help=("Read this configuration. Default: the nearest pyproject.toml or envdoctor.toml."),
    ),
]
NoConfig = Annotated[bool, Option("--no-config", help="Read no configuration file.")]
Baseline = Annotated[
    Path | None,
    Option(
        "--baseline",
        metavar="FILE",
        help="Let the known findings of this file pass. More of them than known fail.",
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
        help=(
            "Judge only these rules. Default: those by which the run was judged when it was played."
        ),
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
            "Write this file, .toml or .json. Default: the `baseline` of the configuration,"
            " or .envdoctor-baseline.toml."
        ),
    ),
]
Reason = Annotated[
    str, Option("--reason", metavar="TEXT", help="The reason why new entries are accepted.")
]
Update = Annotated[
    bool,
    Option(
        "--update",
        help=(
            "Add what is new, drop what was judged and is gone, and keep the reasons of the rest."
        ),
    ),
]
Prune = Annotated[bool, Option("--prune", help="Only drop what was judged and is gone.")]
ConfigSchema = Annotated[bool, Option("--config", help="Print the schema of the configuration.")]
