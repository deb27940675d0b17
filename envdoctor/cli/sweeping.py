"""The commands on many environments and many workers."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import typer

from envdoctor.cli import command_options, options
from envdoctor.cli.reception import refuse
from envdoctor.cli.signatures import spread
from envdoctor.request.options import CheckOptions


@spread(command_options.SWEEP)
def sweep(
    context: typer.Context,
    asked: CheckOptions,
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
    from envdoctor.cli import configuring, sweep_plan, sweep_run
    from envdoctor.model.finding import SEVERITIES
    from envdoctor.request import choices
    from envdoctor.sweep.plans import parse_place

    refuse(sys.platform)
    settings = configuring.settings(context, config, no_config)
    every = sweep_plan.Options(asked, kwarg, imports, script, config, no_config)
    planner = sweep_plan.Planner(settings, every, os.getcwd())
    named = sweep_run.Named(specs, file, registry, match)
    order = sweep_run.Order(
        jobs=jobs or settings.pick("jobs", None),
        retries=retries,
        share=parse_place(on),
        resume=resume,
        since=since,
        fail_on=choices.one("severity", settings.pick("fail-on", asked.fail_on), SEVERITIES),
        allow_inconclusive=allow_inconclusive,
        quiet=quiet,
    )
    known = configuring.read_baseline(settings.baseline_path(baseline))
    code = sweep_run.sweep(out, planner, named, order, known)
    raise typer.Exit(0 if exit_zero and code != 130 else code)


@spread(command_options.COMPARE)
def compare(
    context: typer.Context,
    asked: CheckOptions,
    what: options.FoldersOrSpecs,
    python: options.Pythons = None,
    kwarg: options.Kwarg = None,
    imports: options.Imports = None,
    script: options.Script = None,
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
    from envdoctor.cli import configuring, sweep_compare, sweep_plan
    from envdoctor.model.finding import SEVERITIES
    from envdoctor.request import choices

    refuse(sys.platform)
    settings = configuring.settings(context, config, no_config)
    fail_on = choices.one("severity", settings.pick("fail-on", asked.fail_on), SEVERITIES)
    if python:
        every = sweep_plan.Options(asked, kwarg, imports, script, config, no_config)
        found = sweep_compare.interpreters(what, python, settings, every, jobs, quiet)
    else:
        found = sweep_compare.folders(what, settings)
    code = sweep_compare.tell(found, fail_on, allow_inconclusive, quiet)
    raise typer.Exit(0 if exit_zero else code)


@spread(command_options.WORKERS)
def workers(
    context: typer.Context,
    asked: CheckOptions,
    spec: options.Spec,
    most: options.MostWorkers = 0,
    steps: options.WorkerSteps = 1000,
    kwarg: options.Kwarg = None,
    imports: options.Imports = None,
    script: options.Script = None,
    format_: options.ListFormat = "terminal",
    config: options.Config = None,
    no_config: options.NoConfig = False,
    quiet: options.Quiet = 0,
) -> None:
    """Measure what 1, 2, 4... workers bring on this machine: seconds to start, steps per second and
    memory, where more do not pay, and the lines to paste.
    """
    from envdoctor.cli import configuring, worker_texts, writing
    from envdoctor.cli.progress import Progress
    from envdoctor.errors import ExitCode
    from envdoctor.request import choices
    from envdoctor.request.building import for_check
    from envdoctor.run.worker_trials import try_workers

    refuse(sys.platform)
    choices.one("format", format_, ("terminal", "json"))
    settings = configuring.settings(context, config, no_config)
    subjects = settings.subjects((spec,), kwarg, imports, script)
    request = for_check(settings, subjects, asked)
    request = request.of(request.subjects[0])
    with Progress(sys.stderr, -quiet) as progress:
        trials = try_workers(request, steps, most, progress, context.obj)
    shown = worker_texts.as_json if format_ == "json" else worker_texts.as_text
    writing.write(shown(trials, request.subjects[0]))
    raise typer.Exit(ExitCode.INTERRUPTED if trials.interrupted else ExitCode.OK)
