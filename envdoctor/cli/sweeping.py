"""The commands on many environments and many workers."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

import typer

from envdoctor.cli import command_options, options, sweep_options
from envdoctor.cli.error_handling import refuse
from envdoctor.cli.signatures import spread
from envdoctor.request.options import CheckOptions


@spread(command_options.SWEEP)
def sweep(
    context: typer.Context,
    asked: CheckOptions,
    specs: options.Specs = None,
    file: sweep_options.SpecFile = None,
    registry: sweep_options.Registry = None,
    match: sweep_options.Match = None,
    out: sweep_options.Out = Path("envdoctor-sweep"),
    on: sweep_options.On = "local",
    working_dir: sweep_options.WorkingDir = None,
    jobs: sweep_options.SweepJobs = None,
    resume: sweep_options.Resume = False,
    retries: sweep_options.Retries = 2,
    since: sweep_options.Since = None,
    fix: sweep_options.SweepFix = False,
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
    """Examine many environments, and write results to a folder.

    Each is examined in a process of its own. The folder gets results, pages, and an index with the
    worst first. --resume continues what was interrupted. `report`, `gate`, `baseline` and `compare`
    read the folder. The exit codes are those of check. The code is also 4 where an environment has
    no result.
    """
    from envdoctor.cli import configuring, sweep_plan, sweep_run
    from envdoctor.model.finding import SEVERITIES
    from envdoctor.request import choices
    from envdoctor.sweep.plans import parse_place

    refuse(sys.platform)
    settings = configuring.settings(context, config, no_config)
    every = sweep_plan.PlanOptions(asked, kwarg, imports, script, config, no_config, fix)
    if fix:
        from envdoctor.cli import fixing

        fixing.check_sweep(Path.cwd(), on, jobs, asked.no_try_remedies)
        jobs = 1
    named, where = sweep_run.NamedExaminations(specs, file, registry, match), parse_place(on)
    order = sweep_run.Order(
        jobs=jobs or settings.pick("jobs", None),
        retries=retries,
        share=where.share,
        resume=resume,
        since=since,
        fail_on=choices.one_of("severity", settings.pick("fail-on", asked.fail_on), SEVERITIES),
        allow_inconclusive=allow_inconclusive,
        quiet=quiet,
    )
    known = configuring.read_baseline(settings.baseline_path(baseline))
    with sweep_run.reached(where, working_dir, out) as cluster:
        places = (cluster.ask, cluster.machine) if cluster else ()
        planner = sweep_plan.Planner(settings, every, os.getcwd(), *places)
        code = sweep_run.sweep(out, planner, named, replace(order, cluster=cluster), known)
    raise typer.Exit(0 if exit_zero and code != 130 else code)


@spread(command_options.COMPARE)
def compare(
    context: typer.Context,
    asked: CheckOptions,
    what: sweep_options.FoldersOrSpecs,
    python: sweep_options.Pythons = None,
    ref: sweep_options.Refs = None,
    with_: sweep_options.Versions = None,
    kwarg: options.Kwarg = None,
    imports: options.Imports = None,
    script: options.Script = None,
    jobs: sweep_options.SweepJobs = None,
    exit_zero: options.ExitZero = False,
    allow_inconclusive: options.AllowInconclusive = False,
    config: options.Config = None,
    no_config: options.NoConfig = False,
    quiet: options.Quiet = 0,
) -> None:
    """Show what changed between sweeps, versions or commits.

    These are findings that are new, gone, worse or better, and the packages that differ. With
    SPECs, interpreters can be compared as well.

    Exit codes: 1 where a finding at or above --fail-on is new or got worse, 4 where an environment
    that could be judged before cannot be judged now, or a version could not be installed, 0
    otherwise.
    """
    from envdoctor.cli import configuring, sweep_compare, sweep_plan, sweep_sides
    from envdoctor.model.finding import SEVERITIES
    from envdoctor.request import choices

    refuse(sys.platform)
    settings = configuring.settings(context, config, no_config)
    fail_on = choices.one_of("severity", settings.pick("fail-on", asked.fail_on), SEVERITIES)
    sides = sweep_sides.SideRequest(python, ref, with_)
    if sides:
        every = sweep_plan.PlanOptions(asked, kwarg, imports, script, config, no_config)
        changes = sweep_compare.SideExaminer(what, settings, every, jobs, quiet).compare(sides)
    else:
        changes = sweep_compare.folders(what, settings)
    as_table = bool(with_) or len(changes.columns) > 2
    code = sweep_compare.tell(changes, as_table, fail_on, allow_inconclusive, quiet)
    raise typer.Exit(0 if exit_zero else code)


@spread(command_options.WORKERS)
def workers(
    context: typer.Context,
    asked: CheckOptions,
    spec: options.Spec,
    most: sweep_options.MostWorkers = 0,
    steps: sweep_options.WorkerSteps = 1000,
    kwarg: options.Kwarg = None,
    imports: options.Imports = None,
    script: options.Script = None,
    format_: options.ListFormat = "terminal",
    config: options.Config = None,
    no_config: options.NoConfig = False,
    quiet: options.Quiet = 0,
) -> None:
    """Measure how many workers pay off on this machine.

    The report has seconds to start, steps per second and memory for one, two, four and more
    workers, the number from which on more do not help, and the lines to paste.
    """
    from envdoctor.cli import configuring, worker_texts, writing
    from envdoctor.cli.progress import ProgressDisplay
    from envdoctor.errors import ExitCode
    from envdoctor.request import choices
    from envdoctor.request.building import for_check
    from envdoctor.run.worker_trials import try_workers

    refuse(sys.platform)
    choices.one_of("format", format_, ("terminal", "json"))
    settings = configuring.settings(context, config, no_config)
    request = for_check(settings, (settings.subject(spec, kwarg, imports, script),), asked)
    request = request.of(request.subjects[0])
    with ProgressDisplay(sys.stderr, -quiet) as progress:
        trials = try_workers(request, steps, most, progress, context.obj)
    shown = worker_texts.as_json if format_ == "json" else worker_texts.as_text
    writing.write(shown(trials, request.subjects[0]))
    raise typer.Exit(ExitCode.INTERRUPTED if trials.interrupted else ExitCode.OK)
