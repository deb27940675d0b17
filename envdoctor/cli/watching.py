"""The command that watches a training."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from envdoctor.watch.following import Follower

MINUTE = 60.0  # seconds


def run(
    command: tuple[str, ...],
    every: float | None,
    fail_on: str | None,
    format_: str,
    output: Path | None,
    reports: list[str] | None,
    save: Path | None,
    verbosity: int,
) -> int:
    """Watch a command and write the reports; the exit code. Raises UsageError."""
    from envdoctor.cli import writing
    from envdoctor.errors import ExitCode, UsageError
    from envdoctor.model.finding import NOTE, OPEN, SEVERITIES
    from envdoctor.request import choices
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
    training = watched(command, say, shown if every is None else every)
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
        verbosity=verbosity,
        directory=os.getcwd(),
        fail_on=fail_on or NOTE,
        exit_code=code,
        anonymous=False,
        stream=sys.stderr,
    )
    return code
