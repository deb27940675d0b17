"""The commands.

Only typer and the standard library are imported up here: `envdoctor --help` has to be fast, and to
work when all else is broken. Each command imports what it calls.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from envdoctor import __version__
from envdoctor.cli import command_options, gating, options, sweeping, watch_options
from envdoctor.cli.error_handling import ErrorHandlingGroup, refuse
from envdoctor.cli.parameters import Command
from envdoctor.cli.signatures import spread
from envdoctor.request.options import CheckOptions, LeakOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from envdoctor.cli.streaming import JsonLines
    from envdoctor.cli.writing import Wanted
    from envdoctor.errors import ExitCode
    from envdoctor.model.report import Report
    from envdoctor.model.subject import Subject
    from envdoctor.request.request import Request
    from envdoctor.request.settings import Settings
    from envdoctor.run.supervise.head_start import HeadStart
    from envdoctor.verdict.baseline import BaselineEntry

# Without rich: its help takes as long to import as everything else together, and needs no colour to
# be read.
app = typer.Typer(
    name="envdoctor",
    cls=ErrorHandlingGroup,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    invoke_without_command=True,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"envdoctor {__version__}")
        raise typer.Exit


@app.callback()
def _envdoctor(
    context: typer.Context,
    version: Annotated[  # noqa: ARG001  # its callback answers
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Examine reinforcement-learning environments: what they leave behind, where they hang, and
    what causes it.
    """
    if context.invoked_subcommand is None:
        from envdoctor.cli import configuring, listing, writing

        settings = configuring.settings(context)
        writing.write(listing.greeting(Path(), settings, context.get_help(), writing.width()))


@app.command(cls=Command)
@spread(command_options.CHECK)
def check(
    context: typer.Context,
    asked: CheckOptions,
    outlets: command_options.Outlets,
    specs: options.Specs = None,
    kwarg: options.Kwarg = None,
    imports: options.Imports = None,
    script: options.Script = None,
    since: options.Since = None,
) -> None:
    """Examine environments, and report what is wrong.

    SPECs name them, or a folder that holds them. Without a SPEC: the `specs` of [tool.envdoctor]
    in pyproject.toml, or else those of this folder.

    Exit codes: 0 nothing at or above --fail-on, 1 findings, 2 wrong usage, 3 nothing to check, 4
    inconclusive, 70 a bug of envdoctor, 130 interrupted.
    """
    from envdoctor.cli import configuring, listing, writing
    from envdoctor.request.building import for_check

    refuse(sys.platform)
    wanted = writing.outlets(
        asked.fail_on,
        outlets.format_,
        outlets.output,
        outlets.reports,
        outlets.save,
        asked.anonymous,
    )
    settings = configuring.settings(context, outlets.config, outlets.no_config)
    changes = listing.changes(since)
    named, search_path = listing.without_folders(settings, specs, kwarg, changes)
    subjects: tuple[Subject, ...] = ()
    if changes is None or named != ():
        subjects = settings.subjects(named, kwarg, imports, script, search_path)
    if changes is not None:
        subjects = listing.still_concerned(changes, subjects, set(named or ()) - set(specs or ()))
    request = for_check(settings, subjects, asked)
    _play(context, settings, request, outlets, wanted)


@app.command(cls=Command)
@spread(command_options.LEAK)
def leak(
    context: typer.Context,
    asked: LeakOptions,
    outlets: command_options.Outlets,
    spec: options.Spec,
    kwarg: options.Kwarg = None,
    imports: options.Imports = None,
    script: options.Script = None,
) -> None:
    """Find what grows, how fast, on which line, and what holds it.

    With --storage, replay memory is filled from the environment: its forecast, its growth past its
    capacity, and what it keeps. The exit codes are those of check.
    """
    from envdoctor.cli import configuring, writing
    from envdoctor.request.building import for_leak

    refuse(sys.platform)
    wanted = writing.outlets(
        asked.fail_on,
        outlets.format_,
        outlets.output,
        outlets.reports,
        outlets.save,
        asked.anonymous,
    )
    settings = configuring.settings(context, outlets.config, outlets.no_config)
    subject = settings.subject(spec, kwarg, imports, script)
    request = for_leak(settings, subject, asked)
    _play(context, settings, request, outlets, wanted)


def _play(
    context: typer.Context,
    settings: Settings,
    request: Request,
    outlets: command_options.Outlets,
    wanted: tuple[Wanted, ...],
) -> None:
    """Examine, write the reports, and exit with the code."""
    from dataclasses import replace

    from envdoctor.cli import configuring

    request = replace(
        request, verbosity=outlets.verbose - outlets.quiet, command=("envdoctor", *sys.argv[1:])
    )
    known = configuring.read_baseline(settings.baseline_path(outlets.baseline))
    if outlets.diff or outlets.fix:
        _fix(context, settings, request, outlets, wanted, known)
        return
    begun = _begun(settings, known, request, wanted)
    try:
        report, trouble = _examine(request, settings, known, context.obj, outlets, begun)
        _answer(report, request, wanted, begun, outlets, trouble)
    finally:
        for lines in begun.values():
            lines.close()


def _fix(
    context: typer.Context,
    settings: Settings,
    request: Request,
    outlets: command_options.Outlets,
    wanted: tuple[Wanted, ...],
    known: tuple[BaselineEntry, ...] | None,
) -> None:
    """Examine, and show or write what cures."""
    from dataclasses import replace

    from envdoctor.cli import fixing
    from envdoctor.run.private_names import private

    fixing.check_options(outlets, request, wanted)
    directory = Path.cwd()
    roots = fixing.roots(directory, request.subjects)
    request = replace(request, fix_roots=roots)
    ahead: list[HeadStart | None] = [context.obj]  # of the first examination
    troubles: list[str] = []

    def examine() -> Report:
        kept: list[Report] = []
        began = ahead.pop() if ahead else None
        troubles.append(_examine(request, settings, known, began, outlets, {}, kept)[1])
        return kept[-1]

    if outlets.fix:
        report, code = fixing.write(examine, roots, directory, request.verbosity), None
    else:
        report, code = fixing.show(examine(), roots, directory, request.verbosity)
        wanted = tuple(each for each in wanted if each.path)
    report = private(report, request.subjects, request.anonymous)
    _answer(report, request, wanted, {}, outlets, "".join(troubles), code)


def _begun(
    settings: Settings,
    known: tuple[BaselineEntry, ...] | None,
    request: Request,
    wanted: tuple[Wanted, ...],
) -> dict[Wanted, JsonLines]:
    """The reports that are written while the run goes on. What an anonymous one must not say is
    known after it.
    """
    if request.anonymous or not any(each.format == "jsonl" for each in wanted):
        return {}
    from envdoctor.cli.streaming import JsonLines

    settle = lambda report: settings.settle(report, known)  # noqa: E731
    return {each: JsonLines(each.path, settle) for each in wanted if each.format == "jsonl"}


@app.command(cls=Command, context_settings={"allow_interspersed_args": False})
def watch(
    command: watch_options.Training,
    every: watch_options.Every = None,
    fail_on: watch_options.WatchFailOn = None,
    format_: options.Format = "terminal",
    output: watch_options.WatchOutput = None,
    reports: options.Reports = None,
    save: options.Save = None,
    holders: watch_options.LookAtHolders = True,
    controls: watch_options.PlayControls = False,
    export: watch_options.Export = None,
    export_every: watch_options.ExportEvery = "5s",
    diff: watch_options.Diff = False,
    fix: watch_options.Fix = False,
    in_front: watch_options.InFront = None,
    quiet: options.Quiet = 0,
    verbose: options.Verbose = 0,
) -> None:
    """Run a training, and count what becomes of its environments.

    Every process of the training is watched. The command keeps its output, its signals and its exit
    code, which is also the exit code of watch. The report goes to stderr, or to --output. With
    --fail-on, the exit code is 1 where the command ended with 0 and a finding is that severe.
    """
    from envdoctor.cli import watching

    verbosity = verbose - quiet
    asked = watching.WatchOptions(
        every, fail_on, format_, output, reports, save, verbosity, diff, fix, in_front
    )
    exported = watching.exported(export or (), export_every)
    raise typer.Exit(watching.run(tuple(command), holders, controls, asked, exported))


@app.command(cls=Command)
def attach(
    pid: watch_options.AttachPid,
    seconds: watch_options.AttachFor = "60s",
    every: watch_options.Every = None,
    holders: watch_options.LookAtHolders = True,
    fail_on: watch_options.WatchFailOn = None,
    format_: options.Format = "terminal",
    output: watch_options.WatchOutput = None,
    reports: options.Reports = None,
    save: options.Save = None,
    quiet: options.Quiet = 0,
    verbose: options.Verbose = 0,
) -> None:
    """Look at a training that was started without envdoctor.

    The report has its processes, threads, descriptors and children, which of them grow, and the
    stacks of processes that do not run (with py-spy). A Python 3.14 also answers from within: its
    instances, its memory, and what holds the memory that grows. Calls cannot be counted this way:
    `envdoctor watch` counts them.
    """
    from envdoctor.cli import watching

    verbosity = verbose - quiet
    asked = watching.WatchOptions(every, fail_on, format_, output, reports, save, verbosity)
    raise typer.Exit(watching.attach(pid, seconds, holders, asked))


@app.command(cls=Command)
def top(run: watch_options.WatchedRun = None, every: watch_options.TopEvery = None) -> None:
    """Show the state of a watched training, running or saved.

    It reads what `envdoctor watch` and the training write, and disturbs neither. Without RUN: the
    training that was started last. Where stdout is not a terminal, one table, or one --every so
    many seconds.
    """
    from envdoctor.cli import top as showing

    raise typer.Exit(showing.run(run, every))


def _examine(
    request: Request,
    settings: Settings,
    known: tuple[BaselineEntry, ...] | None,
    ahead: HeadStart | None,
    outlets: command_options.Outlets,
    begun: Mapping[Wanted, JsonLines],
    kept: list[Report] | None = None,
) -> tuple[Report, str]:
    """Examine, saving what is seen where that was asked for; the report, and what went wrong with
    saving it. What was found before anybody's policy goes to the `result` of the outlets; the
    report with its paths, the last of those that are judged on the way, to `kept`.
    """
    from envdoctor.cli.progress import ProgressDisplay
    from envdoctor.run.announcing import Listener, Listeners
    from envdoctor.run.examine import examine
    from envdoctor.verdict.diagnosis import ObservationRecorder

    recorder: ObservationRecorder | None = None
    if outlets.save is not None:
        from envdoctor.saved.writing import RunFile

        recorder = RunFile(outlets.save)
    settle = lambda report: settings.settle(report, known)  # noqa: E731
    listeners: list[Listener] = [*begun.values()]
    with ProgressDisplay(sys.stderr, request.verbosity) as progress:
        if progress.is_watched and not request.anonymous:
            from envdoctor.cli.live import FindingLines

            several = len(request.subjects) > 1
            listeners.append(FindingLines(progress.tell, settle, several))
        final: Callable[[Report], Report] = settle
        if outlets.result is not None:
            from envdoctor.cli.recording import keeping

            final = keeping(outlets.result, settle)
        if kept is not None:
            from envdoctor.cli import fixing

            final = fixing.keeping(final, kept)
        report = examine(request, progress, ahead, recorder, final, Listeners(*listeners))
    troubles = (recorder.trouble if recorder else "", _captures(report, request))
    return report, "; ".join(filter(None, troubles))


def _captures(report: Report, request: Request) -> str:
    """Return the problem of --save-memray. If there was nothing to record, that is printed here."""
    folder = request.leak_check.save if request.leak_check else ""
    if not folder:
        return ""
    from envdoctor.analysis.growth import captures
    from envdoctor.cli import streams

    words = f"--save-memray {folder}"
    if not captures.was_asked(report):
        streams.say(f"envdoctor: {words}: {captures.UNASKED}\n")
    reason = captures.lost(report)
    return f"{words}: {reason}" if reason else ""


def _answer(
    report: Report,
    request: Request,
    wanted: tuple[Wanted, ...],
    begun: Mapping[Wanted, JsonLines],
    outlets: command_options.Outlets,
    trouble: str,
    code: ExitCode | None = None,
) -> None:
    """Write the reports, and exit with the code; else with that of the report. Raises UsageError
    where there was trouble with another file that was asked for.
    """
    from envdoctor.cli import writing
    from envdoctor.errors import ExitCode
    from envdoctor.verdict import triage

    if code is None:
        code = triage.exit_code(report, request.fail_on, outlets.allow_inconclusive)
    # As where no environment has changed.
    passes = outlets.exit_zero or not request.subjects
    code = ExitCode.OK if passes and code != ExitCode.INTERRUPTED else code
    if wanted or trouble:
        writing.write_reports(
            report,
            wanted,
            verbosity=request.verbosity,
            directory=os.getcwd(),
            fail_on=request.fail_on,
            exit_code=code,
            anonymous=request.anonymous,
            begun=begun,
            lost=filter(None, (trouble,)),
        )
    raise typer.Exit(code)


@app.command("list")
def list_(
    context: typer.Context,
    folder: options.Folder = Path("."),
    since: options.Since = None,
    format_: options.ListFormat = "terminal",
) -> None:
    """List the environments of a project, without importing it.

    Registered ids, factories and training scripts are listed as well. What changed last, as git
    knows it, comes first.
    """
    from envdoctor.cli import configuring, listing, writing
    from envdoctor.request import choices

    choices.one_of("format", format_, ("terminal", "json"))
    project, settings = listing.contents(folder), configuring.settings(context)
    if (changes := listing.changes(since)) is not None:
        project = listing.only_changed(project, changes)
    writing.write(
        listing.as_json(project)
        if format_ == "json"
        else listing.as_text(
            listing.with_arguments(project, settings), folder, writing.width(), since=since
        )
    )


@app.command(cls=Command)
def init(
    context: typer.Context,
    write: options.Write = False,
    with_baseline: options.WithBaseline = False,
    python: options.Python = None,
) -> None:
    """Print the configuration, the CI step and the pre-commit hook for a project.

    Its environments are found without importing them.
    """
    from envdoctor.cli import initializing, listing, writing
    from envdoctor.errors import UsageError

    if with_baseline and not write:
        raise UsageError("--baseline needs --write: it examines the environments")
    folder = Path.cwd()
    parts = initializing.parts(listing.examinable(folder), folder, with_baseline)
    if not write:
        writing.write(initializing.shown(parts, folder))
        return
    changed = initializing.write(parts)
    for path in changed:
        writing.write(f"written: {path.relative_to(folder)}\n")
    if not changed and not any(part.by_hand for part in parts):
        writing.write("nothing was written: all of it is there already\n")
    writing.write(initializing.shown([each for each in parts if each.by_hand], folder))
    if with_baseline:
        gating.accept_what_is_there(context, python, initializing.REASON)
    else:
        writing.write(initializing.NEXT)


@app.command()
def rules(format_: options.ListFormat = "terminal") -> None:
    """List every rule."""
    from envdoctor.cli import manual, writing
    from envdoctor.request import choices
    from envdoctor.rules.engine.registry import all_rules

    choices.one_of("format", format_, ("terminal", "json"))
    known = all_rules().values()
    writing.write(
        manual.list_as_json(known)
        if format_ == "json"
        else manual.list_rules(known, writing.width())
    )


@app.command()
def explain(rule: options.RuleName) -> None:
    """Show the manual page of a rule."""
    from envdoctor.cli import manual, writing
    from envdoctor.request import choices
    from envdoctor.rules.engine.registry import all_rules

    writing.write(manual.page(choices.rule(rule, all_rules()), writing.width()))


@app.command()
def schema(format_: options.SchemaFormat = "json", config: options.ConfigSchema = False) -> None:
    """Print the JSON Schema of reports, or of the configuration.

    With --format jsonl, it is the schema of one line.
    """
    from envdoctor.cli import writing
    from envdoctor.request import choices

    if config:
        from envdoctor.cli import showing

        writing.write(showing.config_schema())
        return
    from envdoctor.reporters import json_v1, jsonl

    writing.write(
        {"json": json_v1, "jsonl": jsonl}[
            choices.one_of("format", format_, ("json", "jsonl"))
        ].schema()
    )


app.command(cls=Command)(gating.gate)
app.command(cls=Command)(gating.report)
app.command(cls=Command)(gating.baseline)
app.command(cls=Command)(gating.config)
app.command(cls=Command)(sweeping.sweep)
app.command(cls=Command)(sweeping.compare)
app.command(cls=Command)(sweeping.workers)
