"""The command that watches a training."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from envdoctor.cli import streams
from envdoctor.model.fast_dataclass import dataclass

if TYPE_CHECKING:
    from envdoctor.model.report import Report
    from envdoctor.model.training import Training
    from envdoctor.verdict.diagnosis import ObservationRecorder, Run
    from envdoctor.watch.command import Display, FollowedCommand
    from envdoctor.watch.exporting import Exports
    from envdoctor.watch.standing import TrainingStanding

MINUTE, SECOND = 60.0, 1.0  # seconds
LEAST = 0.1
FIRST, LATER = 5.0, 0.25  # seconds until a training is saved; of those that passed, until the next


class LineView:
    """A line each `every` seconds, on stderr."""

    def __init__(self, every: float) -> None:
        self.every = every

    def show(self, follower: FollowedCommand) -> None:
        """Write one."""
        streams.say(line(_standing(follower, None).line))

    def hide(self) -> None:
        """Lines stay."""


class TerminalView:
    """The last rows of a terminal, drawn each `every` seconds."""

    def __init__(self, every: float) -> None:
        from rich.console import Console

        from envdoctor.cli.footer import Footer

        self.every = every
        self._footer = Footer(sys.stderr.fileno())
        self._console = Console(stderr=True, highlight=False, markup=False)
        self._earlier: TrainingStanding | None = None
        self._spent = time.monotonic(), time.process_time()

    def show(self, follower: FollowedCommand) -> None:
        """Draw it, where there is room."""
        from envdoctor.cli.training_view import view

        self._earlier = shown = _standing(follower, self._earlier)
        with suppress(OSError):  # the terminal may be gone
            columns, rows = self._footer.room
            if not rows:
                return
            now = time.monotonic(), time.process_time()
            share = (now[1] - self._spent[1]) / max(now[0] - self._spent[0], LEAST)
            self._spent = now
            with self._console.capture() as drawn:
                self._console.print(view(shown, columns, rows, share), width=columns)
            self._footer.draw(drawn.get().splitlines())

    def hide(self) -> None:
        """Give the rows back, until it is drawn again."""
        with suppress(OSError):
            self._footer.clear()


class Keeper:
    """Saves the training now and then: a report can be made of it where the doctor is killed."""

    def __init__(self, recorder: ObservationRecorder) -> None:
        self.every = FIRST
        self._recorder = recorder

    def show(self, follower: FollowedCommand) -> None:
        """Save it, and again when a quarter more time has passed: the file stays small."""
        from envdoctor.watch import reporting

        training = follower.training()
        self.every = max(FIRST, training.seconds * LATER)
        reporting.keep(training, self._recorder)

    def hide(self) -> None:
        """Do nothing: the saved file stays."""


def _standing(follower: FollowedCommand, earlier: TrainingStanding | None) -> TrainingStanding:
    from envdoctor.run.supervise.machine import machine
    from envdoctor.watch.standing import standing

    return standing(follower.training(), lambda pid: machine.resident([pid]), earlier)


def display(text: str | None) -> Display:
    """Return the display of the training, redrawn at an interval. Raises UsageError."""
    from envdoctor.request import choices

    drawn = sys.stderr.isatty() and os.getenv("TERM") not in (None, "dumb")
    usual = SECOND if drawn else MINUTE
    every = usual if text is None else choices.duration("--every", text, LEAST, zero="for never")
    if every and drawn:
        with suppress(OSError):
            return TerminalView(every)
    return LineView(0.0 if drawn and text is None else every)


@dataclass(frozen=True)
class WatchOptions:
    """Options of `watch` and `attach`: how to show, judge and save a training. `in_front`: a
    descriptor that is at its end once the process that a launcher knows is gone.
    """

    every: str | None
    fail_on: str | None
    format_: str
    output: Path | None
    reports: list[str] | None
    save: Path | None
    verbosity: int
    diff: bool = False
    fix: bool = False
    in_front: int | None = None


def exported(texts: Sequence[str], interval: str) -> Exports | None:
    """Return what hands samples on; None without any. Raises UsageError."""
    from envdoctor.request import choices

    every = choices.duration("--export-every", interval, LEAST)
    if not texts:
        return None
    from envdoctor.watch.exporting import exports

    return exports(texts, every)


def run(
    command: tuple[str, ...],
    holders: bool,
    controls: bool,
    options: WatchOptions,
    exports: Exports | None = None,
) -> int:
    """Watch a command and write the reports; the exit code. Raises UsageError."""
    from envdoctor.cli.controls import controlled
    from envdoctor.watch.command import RunTerms, watch

    stdout = sys.stderr.fileno() if options.diff else None
    terms = RunTerms(stdout, in_front=options.in_front)

    def watched(shown: Display, recorder: ObservationRecorder) -> Training:
        keeping = [Keeper(recorder)] if options.save is not None else []
        exporting = [exports] if exports is not None else []
        training = watch(command, [shown, *keeping, *exporting], holders, terms)
        return controlled(training, _say) if controls else training

    return _reported("watch", watched, options, exports)


def attach(pid: int, duration: str, holders: bool, options: WatchOptions) -> int:
    """Look at a training that runs and write the reports; the exit code. Raises UsageError."""
    from envdoctor.errors import UsageError
    from envdoctor.request import choices
    from envdoctor.watch.attached import attach
    from envdoctor.watch.running import running

    seconds = choices.duration("--for", duration, SECOND)
    if sys.platform == "linux" and any(pid in (each.pid, each.doctor) for _, each in running()):
        raise UsageError(f"{pid} is watched already: `envdoctor top {pid}` shows it")

    def attached(shown: Display, _recorder: ObservationRecorder) -> Training:
        return attach(pid, seconds, shown, holders)

    return _reported("attach", attached, options)


def _reported(
    name: str,
    watched: Callable[[Display, ObservationRecorder], Training],
    options: WatchOptions,
    exports: Exports | None = None,
) -> int:
    from envdoctor.cli import writing
    from envdoctor.errors import ExitCode, UsageError
    from envdoctor.model.finding import NOTE, OPEN, SEVERITIES
    from envdoctor.request import choices
    from envdoctor.verdict.diagnosis import ObservationRecorder
    from envdoctor.watch import reporting

    if sys.platform != "linux":
        raise UsageError(f"{name} needs Linux: it reads what runs from /proc")
    if options.fail_on is not None:
        choices.one_of("severity", options.fail_on, SEVERITIES)
    if options.diff and options.fix:
        raise UsageError("--diff shows what --fix writes: name one of them")
    fail_on = options.fail_on or NOTE
    outputs = options.format_, options.output, options.reports, options.save
    wanted = writing.outlets(fail_on, *outputs, anonymous=False)
    shown = display(options.every)
    recorder = ObservationRecorder()
    if options.save is not None:
        from envdoctor.saved.writing import RunFile

        recorder = RunFile(options.save)
    began = reporting.begin(("envdoctor", *sys.argv[1:]), recorder)
    training = watched(shown, recorder)
    report, code = _report(training, began, recorder, options)
    for warning in exports.finish(training, report.findings) if exports is not None else ():
        _say(warning)
    failing = SEVERITIES[: SEVERITIES.index(fail_on) + 1] if options.fail_on else ()
    if not code and any(
        each.status == OPEN and each.severity in failing for each in report.findings
    ):
        code = ExitCode.FINDINGS
    writing.write_reports(
        report,
        wanted,
        verbosity=options.verbosity,
        directory=os.getcwd(),
        fail_on=fail_on,
        exit_code=code,
        anonymous=False,
        stream=sys.stderr,
        lost=filter(None, (recorder.trouble,)),
    )
    if options.in_front is not None and training.code < 0:
        from envdoctor.watch.stand_in import end_as

        end_as(training.code)
    return code


def _report(
    training: Training, began: Run, recorder: ObservationRecorder, options: WatchOptions
) -> tuple[Report, int]:
    """The report on a training, with its cures where they are asked for, and the exit code."""
    from envdoctor.watch import reporting

    code = training.code if training.code >= 0 else 128 - training.code
    if not (options.diff or options.fix):
        return reporting.shown(reporting.report(training, began, recorder)), code
    from envdoctor.cli import fixing
    from envdoctor.watch.trials import cures

    directory = Path.cwd()
    roots = fixing.roots(directory, [reporting.subject_of(training.command)])
    say = _say if options.verbosity > fixing.SILENT else _keep_quiet
    report = reporting.report(training, began, recorder, cures(roots, say))
    if options.fix:
        report = fixing.write_once(report, roots, directory, options.verbosity)
    else:
        report, shown = fixing.show(report, roots, directory, options.verbosity)
        code = code or shown
    return reporting.shown(report), code


def _keep_quiet(_text: str) -> None:
    """Say nothing, for -qq."""


def _say(text: str) -> None:
    streams.say(line(text))


def line(text: str) -> str:
    """Return a line for the terminal. It is escaped: class names in it are the user's."""
    from envdoctor.reporters._showing import clean

    return f"envdoctor: {clean(text, unicode=False)}\n"
