"""The commands.

Only typer and the standard library are imported up here: `envdoctor --help` has to be fast, and to work whatever else
is broken. Each command imports what it calls.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from envdoctor import __version__
from envdoctor.cli import options
from envdoctor.cli.parameters import Command
from envdoctor.cli.reception import Reception

if TYPE_CHECKING:
    from pathlib import Path

    from envdoctor.examine import Request
    from envdoctor.supervise.head_start import HeadStart

# Without rich: its help takes as long to import as everything else together, and needs no colour to be read.
app = typer.Typer(
    name="envdoctor", cls=Reception, rich_markup_mode=None, pretty_exceptions_enable=False, no_args_is_help=True
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"envdoctor {__version__}")
        raise typer.Exit


@app.callback()
def _envdoctor(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Examine reinforcement-learning environments: what they leave behind, where they hang, and whose fault it is."""


@app.command(cls=Command)
def check(
    context: typer.Context,
    specs: options.Specs,
    kwarg: options.Kwarg = None,
    imports: options.Imports = None,
    script: options.Script = None,
    python: options.Python = None,
    select: options.Select = None,
    ignore: options.Ignore = None,
    managers: options.Managers = None,
    start_methods: options.StartMethods = None,
    fail_on: options.FailOn = "error",
    timeout: options.Timeout = 30.0,
    memory_limit: options.MemoryLimit = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = 1,
    faults: options.Faults = False,
    thorough: options.CheckThorough = False,
    format_: options.Format = "terminal",
    output: options.Output = None,
    exit_zero: options.ExitZero = False,
    anonymous: options.Anonymous = False,
    allow_inconclusive: options.AllowInconclusive = False,
    quiet: options.Quiet = 0,
    verbose: options.Verbose = 0,
) -> None:
    """Examine environments.

    Exit codes: 0 nothing at or above --fail-on, 1 findings, 2 wrong usage, 3 nothing to check, 4 inconclusive,
    70 a bug of envdoctor, 130 interrupted.
    """
    from envdoctor.cli import choices, writing

    choices.refuse(sys.platform)
    from envdoctor.examine import Request
    from envdoctor.model.finding import SEVERITIES
    from envdoctor.reporters import formats
    from envdoctor.specs import parse, parse_kwargs, parse_script

    directory = os.getcwd()
    choices.one("severity", fail_on, SEVERITIES)
    choices.one("format", format_, formats())
    writing.check_writable(output)
    kwargs, path = parse_kwargs(kwarg or ()), parse_script(script, directory)
    request = Request(
        subjects=tuple(parse(spec, kwargs, imports or (), directory, path) for spec in dict.fromkeys(specs)),
        python=choices.interpreter(python),
        select=choices.words(select),
        ignore=choices.words(ignore),
        managers=choices.several("manager", managers, choices.managers()),
        start_methods=choices.several("start method", start_methods, choices.START_METHODS),
        fail_on=fail_on,
        timeout=choices.seconds("--timeout", timeout), memory=choices.size("--memory-limit", memory_limit), anonymous=anonymous,
        seed=seed,
        jobs=jobs,
        faults=faults or thorough,
        verbosity=verbose - quiet,
        command=("envdoctor", *sys.argv[1:]),
    )
    _examine(request, context.obj, format_, output, exit_zero, allow_inconclusive)


@app.command(cls=Command)
def leak(
    context: typer.Context,
    spec: options.Spec,
    kwarg: options.Kwarg = None,
    imports: options.Imports = None,
    script: options.Script = None,
    python: options.Python = None,
    cycles: options.Cycles = None,
    thorough: options.Thorough = False,
    time_budget: options.TimeBudget = 60.0,
    save_memray: options.SaveMemray = None,
    managers: options.HuntManagers = None,
    start_methods: options.StartMethods = None,
    fail_on: options.FailOn = "error",
    timeout: options.Timeout = 30.0,
    memory_limit: options.MemoryLimit = None,
    seed: options.Seed = 0,
    format_: options.Format = "terminal",
    output: options.Output = None,
    exit_zero: options.ExitZero = False,
    anonymous: options.Anonymous = False,
    quiet: options.Quiet = 0,
    verbose: options.Verbose = 0,
) -> None:
    """Look for what grows: for how many cycles, in which operation, on which line, held by whom.

    Exit codes as those of check.
    """
    from envdoctor.cli import choices, writing

    choices.refuse(sys.platform)
    from envdoctor.examine import Request
    from envdoctor.hunting import Effort
    from envdoctor.model.finding import SEVERITIES
    from envdoctor.model.scenario import DIRECT
    from envdoctor.planning import GROWTH_CODES
    from envdoctor.reporters import formats
    from envdoctor.specs import parse, parse_kwargs, parse_script

    choices.one("severity", fail_on, SEVERITIES)
    choices.one("format", format_, formats())
    writing.check_writable(output)
    writing.check_folder("--save-memray", save_memray)
    request = Request(
        subjects=(parse(spec, parse_kwargs(kwarg or ()), imports or (), os.getcwd(), parse_script(script, os.getcwd())),),
        python=choices.interpreter(python),
        select=GROWTH_CODES,
        managers=choices.several("manager", managers, choices.managers()) or (DIRECT,),
        start_methods=choices.several("start method", start_methods, choices.START_METHODS),
        fail_on=fail_on,
        timeout=choices.seconds("--timeout", timeout), memory=choices.size("--memory-limit", memory_limit), anonymous=anonymous,
        seed=seed,
        verbosity=verbose - quiet,
        command=("envdoctor", *sys.argv[1:]),
        hunt=Effort(cycles or 0, choices.seconds("--time-budget", time_budget), thorough, save=str(save_memray.absolute()) if save_memray else ""),
    )
    _examine(request, context.obj, format_, output, exit_zero)


def _examine(
    request: Request, ahead: HeadStart | None, format_: str, output: Path | None, exit_zero: bool, allow_inconclusive: bool = False
) -> None:
    """Examine, write the report, and exit with its code."""
    from envdoctor import triage
    from envdoctor.cli import writing
    from envdoctor.cli.progress import Progress
    from envdoctor.errors import ExitCode
    from envdoctor.examine import examine
    from envdoctor.privacy import without_home
    from envdoctor.reporters import reporter

    with Progress(sys.stderr, request.verbosity) as progress:
        report = examine(request, progress, lambda: reporter(format_), ahead)
    writing.write_report(report, format_, output, request.verbosity, without_home(os.path.expanduser("~"))(os.getcwd()))
    code = triage.exit_code(report, request.fail_on, allow_inconclusive)
    raise typer.Exit(ExitCode.OK if exit_zero and code != ExitCode.INTERRUPTED else code)


@app.command()
def rules(format_: options.Format = "terminal") -> None:
    """List every rule."""
    from envdoctor.cli import choices, manual, writing
    from envdoctor.rules.registry import all_rules

    choices.one("format", format_, ("terminal", "json"))
    known = all_rules().values()
    writing.write(manual.list_as_json(known) if format_ == "json" else manual.list_rules(known, writing.width()))


@app.command()
def explain(rule: options.RuleName) -> None:
    """Show the manual page of a rule: what it does, why it matters, how to fix it."""
    from envdoctor.cli import choices, manual, writing
    from envdoctor.rules.registry import all_rules

    writing.write(manual.page(choices.rule(rule, all_rules()), writing.width()))


@app.command()
def schema() -> None:
    """Print the JSON Schema of `check --format json`."""
    from envdoctor.cli import writing
    from envdoctor.reporters import json_v1

    writing.write(json_v1.schema())
