"""The commands.

Only typer and the standard library are imported up here: `envdoctor --help` has to be fast, and to work whatever else is
broken. Each command imports what it calls.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from envdoctor import __version__
from envdoctor.cli.reception import Reception

# Without rich: its help takes as long to import as everything else together, and needs no colour to be read.
app = typer.Typer(name="envdoctor", cls=Reception, rich_markup_mode=None, pretty_exceptions_enable=False, no_args_is_help=True)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"envdoctor {__version__}")
        raise typer.Exit


@app.callback()
def _envdoctor(
    version: Annotated[bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")] = False,
) -> None:
    """Examine reinforcement-learning environments: what they leave behind, where they hang, and whose fault it is."""


@app.command()
def check(
    specs: Annotated[list[str], typer.Argument(metavar="SPEC...", help="CartPole-v1, package:Id-v0, package.module:name, path/to/file.py[:name].")],
    kwarg: Annotated[list[str], typer.Option("--kwarg", "-k", metavar="NAME=VALUE", help="Constructor argument, in TOML: -k size=3 -k 'mode=\"a\"'.")] = [],  # noqa: B006
    imports: Annotated[list[str], typer.Option("--import", metavar="MODULE", help="Import this first, as your script does.")] = [],  # noqa: B006
    python: Annotated[str | None, typer.Option(metavar="PATH", help="The interpreter that owns the environment; else this one.")] = None,
    select: Annotated[list[str], typer.Option(metavar="CODES", help="Judge only these: codes, prefixes (CLS), names; separated by commas.")] = [],  # noqa: B006
    ignore: Annotated[list[str], typer.Option(metavar="CODES", help="Do not judge these.")] = [],  # noqa: B006
    managers: Annotated[list[str], typer.Option(metavar="NAMES", help="Play under these only: direct, gymnasium-sync, gymnasium-async.")] = [],  # noqa: B006
    start_methods: Annotated[list[str], typer.Option(metavar="NAMES", help="Start workers in these ways only: fork, forkserver, spawn.")] = [],  # noqa: B006
    fail_on: Annotated[str, typer.Option(metavar="SEVERITY", help="Exit with 1 from this severity on: error, warning or note.")] = "error",
    timeout: Annotated[float, typer.Option(metavar="SECONDS", min=0.1, help="For each make, reset, step, close.")] = 30.0,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="For the first reset and the actions.")] = 0,
    jobs: Annotated[int, typer.Option(metavar="N", min=1, help="Subjects examined at the same time.")] = 1,
    format_: Annotated[str, typer.Option("--format", metavar="FORMAT", help="terminal or json.")] = "terminal",
    output: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the report there instead of to stdout.")] = None,
    exit_zero: Annotated[bool, typer.Option("--exit-zero", help="Exit with 0 whatever was found.")] = False,
    allow_inconclusive: Annotated[bool, typer.Option("--allow-inconclusive", help="Exit with 0 where nothing could be judged.")] = False,
    quiet: Annotated[int, typer.Option("--quiet", "-q", count=True, show_default=False, help="Only findings; -qq: nothing.")] = 0,
    verbose: Annotated[int, typer.Option("--verbose", "-v", count=True, show_default=False, help="Also what passed, and each scenario.")] = 0,
) -> None:
    """Examine environments. Exit codes: 0 nothing found, 1 findings, 2 wrong usage, 3 nothing to check, 4 inconclusive."""
    from envdoctor import triage
    from envdoctor.cli import choices, output as out
    from envdoctor.cli.progress import Progress
    from envdoctor.errors import ExitCode
    from envdoctor.examine import Request, examine
    from envdoctor.model.finding import SEVERITIES
    from envdoctor.reporters import formats
    from envdoctor.specs import parse, parse_kwargs

    directory, verbosity = os.getcwd(), verbose - quiet
    choices.one("severity", fail_on, SEVERITIES)
    choices.one("format", format_, formats())
    out.check_writable(output)
    kwargs = parse_kwargs(kwarg)
    request = Request(
        subjects=tuple(parse(spec, kwargs, imports, directory) for spec in dict.fromkeys(specs)),
        python=choices.interpreter(python),
        select=choices.words(select),
        ignore=choices.words(ignore),
        managers=choices.several("manager", managers, choices.managers()),
        start_methods=choices.several("start method", start_methods, choices.START_METHODS),
        fail_on=fail_on,
        timeout=timeout,
        seed=seed,
        jobs=jobs,
        verbosity=verbosity,
        command=("envdoctor", *sys.argv[1:]),
    )
    with Progress(sys.stderr, verbosity) as progress:
        report = examine(request, progress)
    out.write_report(report, format_, output, verbosity, directory)
    code = triage.exit_code(report, fail_on, allow_inconclusive)
    raise typer.Exit(ExitCode.OK if exit_zero and code != ExitCode.INTERRUPTED else code)


@app.command()
def rules(format_: Annotated[str, typer.Option("--format", metavar="FORMAT", help="terminal or json.")] = "terminal") -> None:
    """List every rule."""
    from envdoctor.cli import choices, manual, output as out
    from envdoctor.rules.registry import all_rules

    choices.one("format", format_, ("terminal", "json"))
    known = all_rules().values()
    out.write(manual.list_as_json(known) if format_ == "json" else manual.list_rules(known, out.width()))


@app.command()
def explain(rule: Annotated[str, typer.Argument(metavar="CODE", help="A code (CLS006) or a name (close-leaves-descriptors).")]) -> None:
    """Show the manual page of a rule: what it does, why it matters, how to fix it."""
    from envdoctor.cli import choices, manual, output as out
    from envdoctor.rules.registry import all_rules

    out.write(manual.page(choices.rule(rule, all_rules()), out.width()))


@app.command()
def schema() -> None:
    """Print the JSON Schema of `check --format json`."""
    from envdoctor.cli import output as out
    from envdoctor.reporters import json_v1

    out.write(json_v1.schema())


def main() -> None:
    """The console script."""
    app()
