"""The commands on what is known already (saved runs, the baseline, the configuration), and on many
runs at once: sweeps, comparisons, numbers of workers.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from envdoctor.cli import options
from envdoctor.request.options import CheckOptions

if TYPE_CHECKING:
    from envdoctor.model.report import Report
    from envdoctor.model.subject import Subject
    from envdoctor.request.settings import Settings


def gate(
    context: typer.Context,
    runs: options.Runs,
    select: options.JudgeSelect = None,
    ignore: options.Ignore = None,
    fail_on: options.FailOn = "error",
    baseline: options.Baseline = None,
    config: options.Config = None,
    no_config: options.NoConfig = False,
    format_: options.Format = "terminal",
    output: options.Output = None,
    reports: options.Reports = None,
    exit_zero: options.ExitZero = False,
    anonymous: options.Anonymous = False,
    allow_inconclusive: options.AllowInconclusive = False,
    quiet: options.Quiet = 0,
    verbose: options.Verbose = 0,
) -> None:
    """Judge saved runs again, and exit with the code.

    Nothing is played. The exit codes are those of check. The code is also 4 where a run was
    interrupted and nothing in it fails.
    """
    from dataclasses import replace

    from envdoctor.cli import configuring, writing
    from envdoctor.errors import ExitCode
    from envdoctor.model.finding import SEVERITIES
    from envdoctor.request import choices
    from envdoctor.verdict import triage

    settings = configuring.settings(context, config, no_config)
    fail_on = choices.one_of("severity", settings.pick("fail-on", fail_on), SEVERITIES)
    wanted = writing.wanted(format_, output, reports)
    report = _judged(settings, runs, select, ignore, baseline, anonymous)
    # Who was interrupted was the run, not this: it is judged as far as it came.
    code = triage.exit_code(replace(report, interrupted=False), fail_on, allow_inconclusive)
    code = ExitCode.OK if exit_zero else code
    writing.write_reports(
        report,
        wanted,
        verbosity=verbose - quiet,
        directory=os.getcwd(),
        fail_on=fail_on,
        exit_code=code,
        anonymous=anonymous,
    )
    raise typer.Exit(code)


def report(
    context: typer.Context,
    runs: options.Runs,
    select: options.JudgeSelect = None,
    ignore: options.Ignore = None,
    baseline: options.Baseline = None,
    config: options.Config = None,
    no_config: options.NoConfig = False,
    format_: options.Format = "terminal",
    output: options.Output = None,
    reports: options.Reports = None,
    anonymous: options.Anonymous = False,
    quiet: options.Quiet = 0,
    verbose: options.Verbose = 0,
) -> None:
    """Show saved runs, in any format.

    The exit code is 0, also with findings: `envdoctor gate` judges.
    """
    from envdoctor.cli import configuring, writing
    from envdoctor.errors import ExitCode

    settings = configuring.settings(context, config, no_config)
    wanted = writing.wanted(format_, output, reports)
    judged = _judged(settings, runs, select, ignore, baseline, anonymous, evidence=True)
    fail_on = settings.pick("fail-on", "error")
    writing.write_reports(
        judged,
        wanted,
        verbosity=verbose - quiet,
        directory=os.getcwd(),
        fail_on=fail_on,
        exit_code=ExitCode.OK,
        anonymous=anonymous,
    )


def _judged(
    settings: Settings,
    runs: list[Path],
    select: list[str] | None,
    ignore: list[str] | None,
    baseline: Path | None,
    anonymous: bool,
    evidence: bool = False,
) -> Report:
    """The report on saved runs or on sweeps, as configuration and baseline have it."""
    from envdoctor.cli import configuring, folders
    from envdoctor.request import choices
    from envdoctor.run.private_names import private
    from envdoctor.saved.judging import subjects_in

    known = configuring.read_baseline(settings.baseline_path(baseline))
    command = ("envdoctor", *sys.argv[1:])
    words = (choices.words(select), choices.words(ignore))
    report = folders.report_on(runs, *words, command, evidence)
    subjects = subjects_in(folders.runs_in(runs)) if anonymous else ()
    return private(settings.settle(report, known), subjects, anonymous)


def baseline(
    context: typer.Context,
    what: options.RunsOrSpecs = None,
    output: options.BaselineOutput = None,
    reason: options.Reason = "",
    update: options.Update = False,
    prune: options.Prune = False,
    kwarg: options.Kwarg = None,
    imports: options.Imports = None,
    script: options.Script = None,
    python: options.Python = None,
    managers: options.Managers = None,
    start_methods: options.StartMethods = None,
    timeout: options.Timeout = 30.0,
    memory_limit: options.MemoryLimit = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = 1,
    config: options.Config = None,
    no_config: options.NoConfig = False,
    quiet: options.Quiet = 0,
) -> None:
    """Write down known findings, so that only new ones fail.

    The file has each error and warning, its reason, and how much of it there is. From then on,
    `check --baseline FILE` and `gate --baseline FILE` fail on what is new and on what got worse.
    """
    from envdoctor.cli import configuring, folders, recording, writing

    settings = configuring.settings(context, config, no_config)
    path = recording.place(output, settings.baseline_path(None), update or prune)
    if runs := recording.saved_runs(what or ()):
        report = settings.settle(
            folders.report_on(runs, (), (), ("envdoctor", *sys.argv[1:])), None
        )
    else:
        asked = CheckOptions(
            python=python,
            managers=managers,
            start_methods=start_methods,
            timeout=timeout,
            memory_limit=memory_limit,
            seed=seed,
            jobs=jobs,
            no_try_remedies=True,
        )
        subjects = settings.subjects(what, kwarg, imports, script)
        report = _examined(settings, subjects, asked, quiet)
    sentence = recording.record(
        report, path, reason, settings.pick("fail-on", "error"), prune=prune
    )
    if quiet == 0:
        writing.write(sentence + "\n")


def accept_what_is_there(context: typer.Context, python: str | None, reason: str) -> None:
    """Examine the environments of the configuration, or else those of this folder, and write the
    baseline that it names. One that is there stays.
    """
    from envdoctor.cli import configuring, listing, recording, writing
    from envdoctor.verdict.baseline import NAME

    settings = configuring.settings(context)
    path = settings.baseline_path(None) or Path(NAME)
    if path.exists():
        writing.write(f"{path}: it is there already\n")
        return
    named, search_path = listing.without_folders(settings, None, None)
    subjects = settings.subjects(named, None, None, None, search_path)
    asked = CheckOptions(python=python, no_try_remedies=True)
    report = _examined(settings, subjects, asked, 0)
    fail_on = settings.pick("fail-on", "error")
    writing.write(recording.record(report, path, reason, fail_on) + "\n")


def _examined(
    settings: Settings, subjects: tuple[Subject, ...], asked: CheckOptions, quiet: int
) -> Report:
    """The report on environments, as the configuration has it, without a baseline."""
    from dataclasses import replace

    from envdoctor.cli.progress import ProgressDisplay
    from envdoctor.request.building import for_check
    from envdoctor.run.examine import examine

    request = replace(for_check(settings, subjects, asked), command=("envdoctor", *sys.argv[1:]))
    with ProgressDisplay(sys.stderr, -quiet) as progress:
        return examine(request, progress, settle=lambda report: settings.settle(report, None))


def config(
    context: typer.Context,
    specs: options.Specs = None,
    select: options.Select = None,
    managers: options.Managers = None,
    start_methods: options.StartMethods = None,
    fail_on: options.FailOn = "error",
    baseline: options.Baseline = None,
    python: options.Python = None,
    timeout: options.Timeout = 30.0,
    memory_limit: options.MemoryLimit = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = 1,
    config: options.Config = None,
    no_config: options.NoConfig = False,
    format_: options.ListFormat = "terminal",
) -> None:
    """Show each setting, and where its value comes from.

    That is a line of the configuration, the command line, or the default.
    """
    from envdoctor.cli import configuring, showing, writing
    from envdoctor.request import choices

    choices.one_of("format", format_, ("terminal", "json"))
    settings = configuring.settings(context, config, no_config)
    said = {
        "specs": specs,
        "select": select,
        "managers": managers,
        "start-methods": start_methods,
        "fail-on": fail_on,
        "baseline": baseline,
        "python": python,
        "timeout": timeout,
        "memory-limit": memory_limit,
        "seed": seed,
        "jobs": jobs,
    }
    origins = showing.origins(settings, said)
    writing.write(
        showing.as_json(settings, origins)
        if format_ == "json"
        else showing.as_text(settings, origins)
    )
