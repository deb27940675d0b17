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

if TYPE_CHECKING:
    from envdoctor.cli.configuring import Settings
    from envdoctor.model.report import Report


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
    """Judge saved runs, and exit with the code: nothing is played.

    Exit codes as those of check; 4 also where a run ended before it was over and nothing that was
    seen fails.
    """
    from dataclasses import replace

    from envdoctor.cli import choices, configuring, writing
    from envdoctor.errors import ExitCode
    from envdoctor.model.finding import SEVERITIES
    from envdoctor.verdict import triage

    settings = configuring.settings(context, config, no_config)
    fail_on = choices.one("severity", settings.pick("fail-on", fail_on), SEVERITIES)
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
    """Show saved runs, in any format. Exits with 0 whatever was found: `envdoctor gate` judges."""
    from envdoctor.cli import configuring, writing
    from envdoctor.errors import ExitCode

    settings = configuring.settings(context, config, no_config)
    wanted = writing.wanted(format_, output, reports)
    found = _judged(settings, runs, select, ignore, baseline, anonymous, evidence=True)
    fail_on = settings.pick("fail-on", "error")
    writing.write_reports(
        found,
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
    from envdoctor.cli import choices, configuring, folders
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
    """Write down the errors and warnings that there are, with reasons and how much of each there
    is.

    From then on, `check --baseline FILE` and `gate --baseline FILE` fail on what is new and on what
    got worse.
    """
    from envdoctor.cli import configuring, folders, recording, requests, writing
    from envdoctor.cli.progress import Progress

    settings = configuring.settings(context, config, no_config)
    path = recording.place(output, settings.baseline_path(None), update or prune)
    if runs := recording.saved_runs(what or ()):
        report = settings.settle(
            folders.report_on(runs, (), (), ("envdoctor", *sys.argv[1:])), None
        )
    else:
        from envdoctor.run.examine import examine

        request = requests.for_check(
            settings,
            what,
            kwarg,
            imports,
            script,
            python,
            managers,
            start_methods,
            timeout,
            seed,
            jobs,
            memory_limit=memory_limit,
        )
        with Progress(sys.stderr, -quiet) as progress:
            report = examine(request, progress, settle=lambda found: settings.settle(found, None))
    told = recording.record(report, path, reason, settings.pick("fail-on", "error"), prune=prune)
    if quiet == 0:
        writing.write(told + "\n")


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
    """Show what holds here, and where each value comes from: a line of the configuration, the
    command line, or by default.
    """
    from envdoctor.cli import choices, configuring, showing, writing

    choices.one("format", format_, ("terminal", "json"))
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


def sweep(
    context: typer.Context,
    specs: options.Specs = None,
    file: options.SpecFile = None,
    registry: options.Registry = None,
    match: options.Match = None,
    out: options.Out = Path("envdoctor-sweep"),
    on: options.On = "local",
    jobs: options.SweepJobs = None,
    resume: options.Resume = False,
    retries: options.Retries = 2,
    since: options.Since = None,
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
    budget: options.Budget = None,
    memory_limit: options.MemoryLimit = None,
    seed: options.Seed = 0,
    quick: options.Quick = False,
    thorough: options.CheckThorough = False,
    no_try_remedies: options.NoTryRemedies = False,
    exit_zero: options.ExitZero = False,
    allow_inconclusive: options.AllowInconclusive = False,
    baseline: options.Baseline = None,
    config: options.Config = None,
    no_config: options.NoConfig = False,
    quiet: options.Quiet = 0,
) -> None:
    """Examine many environments, each in a process of its own, into a folder: results, pages, and
    an index with the worst first.

    What was interrupted goes on with --resume. `report`, `gate`, `baseline` and `compare` read the
    folder. Exit codes as those of check; 4 also where an environment has no result.
    """
    from envdoctor.cli import choices, configuring, sweep_plan, sweep_run
    from envdoctor.model.finding import SEVERITIES
    from envdoctor.sweep.plans import parse_place

    choices.refuse(sys.platform)
    settings = configuring.settings(context, config, no_config)
    asked = sweep_plan.Options(
        kwarg=kwarg,
        imports=imports,
        script=script,
        python=python,
        select=select,
        ignore=ignore,
        managers=managers,
        start_methods=start_methods,
        timeout=timeout,
        budget=budget,
        memory_limit=memory_limit,
        seed=seed,
        quick=quick,
        thorough=thorough,
        no_try_remedies=no_try_remedies,
        config=config,
        no_config=no_config,
    )
    planner = sweep_plan.Planner(settings, asked, os.getcwd())
    named = sweep_run.Named(specs, file, registry, match)
    order = sweep_run.Order(
        jobs=jobs or settings.pick("jobs", None),
        retries=retries,
        share=parse_place(on),
        resume=resume,
        since=since,
        fail_on=choices.one("severity", settings.pick("fail-on", fail_on), SEVERITIES),
        allow_inconclusive=allow_inconclusive,
        quiet=quiet,
    )
    known = configuring.read_baseline(settings.baseline_path(baseline))
    code = sweep_run.sweep(out, planner, named, order, known)
    raise typer.Exit(0 if exit_zero and code != 130 else code)


def compare(
    context: typer.Context,
    what: options.FoldersOrSpecs,
    python: options.Pythons = None,
    kwarg: options.Kwarg = None,
    imports: options.Imports = None,
    script: options.Script = None,
    select: options.Select = None,
    ignore: options.Ignore = None,
    managers: options.Managers = None,
    start_methods: options.StartMethods = None,
    fail_on: options.FailOn = "error",
    timeout: options.Timeout = 30.0,
    memory_limit: options.MemoryLimit = None,
    seed: options.Seed = 0,
    quick: options.Quick = False,
    jobs: options.SweepJobs = None,
    exit_zero: options.ExitZero = False,
    allow_inconclusive: options.AllowInconclusive = False,
    config: options.Config = None,
    no_config: options.NoConfig = False,
    quiet: options.Quiet = 0,
) -> None:
    """Say what changed between two sweeps, or between two interpreters: findings that are new,
    gone, worse or better, and the packages that differ.

    Exit codes: 1 where a finding at or above --fail-on is new or got worse, 4 where an environment
    that could be judged before cannot be judged now, 0 otherwise.
    """
    from envdoctor.cli import choices, configuring, sweep_compare, sweep_plan
    from envdoctor.model.finding import SEVERITIES

    choices.refuse(sys.platform)
    settings = configuring.settings(context, config, no_config)
    fail_on = choices.one("severity", settings.pick("fail-on", fail_on), SEVERITIES)
    if python:
        asked = sweep_plan.Options(
            kwarg=kwarg,
            imports=imports,
            script=script,
            select=select,
            ignore=ignore,
            managers=managers,
            start_methods=start_methods,
            timeout=timeout,
            memory_limit=memory_limit,
            seed=seed,
            quick=quick,
            config=config,
            no_config=no_config,
        )
        found = sweep_compare.interpreters(what, python, settings, asked, jobs, quiet)
    else:
        found = sweep_compare.folders(what, settings)
    code = sweep_compare.tell(found, fail_on, allow_inconclusive, quiet)
    raise typer.Exit(0 if exit_zero else code)


def workers(
    context: typer.Context,
    spec: options.Spec,
    most: options.MostWorkers = 0,
    steps: options.WorkerSteps = 1000,
    kwarg: options.Kwarg = None,
    imports: options.Imports = None,
    script: options.Script = None,
    python: options.Python = None,
    managers: options.Managers = None,
    start_methods: options.StartMethods = None,
    timeout: options.Timeout = 30.0,
    seed: options.Seed = 0,
    format_: options.ListFormat = "terminal",
    config: options.Config = None,
    no_config: options.NoConfig = False,
    quiet: options.Quiet = 0,
) -> None:
    """Measure what 1, 2, 4... workers bring on this machine: seconds to start, steps per second and
    memory, where more do not pay, and the lines to paste.
    """
    from envdoctor.cli import choices, configuring, requests, worker_texts, writing
    from envdoctor.cli.progress import Progress
    from envdoctor.errors import ExitCode
    from envdoctor.run.worker_trials import try_workers

    choices.refuse(sys.platform)
    choices.one("format", format_, ("terminal", "json"))
    settings = configuring.settings(context, config, no_config)
    request = requests.for_check(
        settings,
        (spec,),
        kwarg,
        imports,
        script,
        python,
        managers,
        start_methods,
        timeout,
        seed,
        1,
    )
    request = request.of(request.subjects[0])
    with Progress(sys.stderr, -quiet) as progress:
        trials = try_workers(request, steps, most, progress, context.obj)
    shown = worker_texts.as_json if format_ == "json" else worker_texts.as_text
    writing.write(shown(trials, request.subjects[0]))
    raise typer.Exit(ExitCode.INTERRUPTED if trials.interrupted else ExitCode.OK)
