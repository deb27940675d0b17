"""The command that watches a training."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

import typer

from envdoctor.cli import options

if TYPE_CHECKING:
    from envdoctor.watch.following import Follower

MINUTE = 60.0  # seconds


def watch(
    command: options.Training,
    every: options.Every = None,
    fail_on: options.WatchFailOn = None,
    format_: options.Format = "terminal",
    output: options.WatchOutput = None,
    reports: options.Reports = None,
    save: options.Save = None,
    quiet: options.Quiet = 0,
    verbose: options.Verbose = 0,
) -> None:
    """Run a training and count what becomes of its environments, in every process.

    The command keeps its output, its signals and its exit code, which is this one's, too. The
    report goes to stderr, or to --output. With --fail-on, 1 where the command ended with 0 and a
    finding is that severe.
    """
    from envdoctor.cli import choices, writing
    from envdoctor.errors import ExitCode, UsageError
    from envdoctor.model.finding import NOTE, OPEN, SEVERITIES
    from envdoctor.verdict.diagnosis import Recorder
    from envdoctor.watch import reporting
    from envdoctor.watch.command import watch as watched

    if sys.platform != "linux":
        raise UsageError("watch needs Linux: it reads what runs from /proc")
    if fail_on is not None:
        choices.one("severity", fail_on, SEVERITIES)
    wanted = writing.outlets(fail_on or NOTE, format_, output, reports, save, anonymous=False)
    recorder = Recorder()
    if save is not None:
        from envdoctor.saved.writing import RunFile

        recorder = RunFile(save)
    began = time.monotonic()

    def say(follower: Follower) -> None:
        text = reporting.standing(follower, time.monotonic() - began)
        sys.stderr.write(f"envdoctor: {text}\n")
        sys.stderr.flush()

    shown = MINUTE if not sys.stderr.isatty() else 0.0
    training = watched(tuple(command), say, shown if every is None else every)
    report = reporting.report(training, ("envdoctor", *sys.argv[1:]), recorder)
    if recorder.trouble:
        sys.stderr.write(f"envdoctor: {recorder.trouble}\n")
    code = training.code if training.code >= 0 else 128 - training.code
    failing = SEVERITIES[: SEVERITIES.index(fail_on) + 1] if fail_on else ()
    if not code and any(one.status == OPEN and one.severity in failing for one in report.findings):
        code = ExitCode.FINDINGS
    writing.write_reports(
        report,
        wanted,
        verbosity=verbose - quiet,
        directory=os.getcwd(),
        fail_on=fail_on or NOTE,
        exit_code=code,
        anonymous=False,
        stream=sys.stderr,
    )
    raise typer.Exit(code)
