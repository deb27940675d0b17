"""The doctor of a process that asked to be watched, in a process that is not its child. On stdout
it says where its run's directory is. It answers what it is asked on stdin (see `asking`), and ends
with the report. Where the process ends before that, the report goes to stderr.
"""

from __future__ import annotations

import json
import os
import pickle
import select
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, BinaryIO

from envdoctor.model.report import Report
from envdoctor.model.training import Training
from envdoctor.run.supervise import owner
from envdoctor.run.supervise.machine import machine
from envdoctor.run.supervise.run_directory import RunDirectory
from envdoctor.starting import BOOT
from envdoctor.verdict.diagnosis import ObservationRecorder
from envdoctor.watch import reporting, tree
from envdoctor.watch.asking import REPORT, SIZE
from envdoctor.watch.boot_folder import CODE, write_boot
from envdoctor.watch.following import Follower
from envdoctor.watch.running import RunningTraining, mark

if TYPE_CHECKING:
    from envdoctor.watch.samples import Sampler


LOOK = 0.05  # seconds
PATIENCE = 5.0  # seconds for the last threads of a process that ends
NAME = "envdoctor.watching()"  # as the command of the report


class Answering:
    """Answers about what a follower sees, from `control` to `answers`."""

    def __init__(self, follower: Follower, control: int, answers: int) -> None:
        self._follower, self._control, self._answers = follower, control, answers
        self._sampler: Sampler | None = None
        self._is_open = True
        follower.wake_for(control)

    def is_last(self) -> bool:
        """Answer what was asked. Return whether it was the report. A process that dies closes its
        end before it is gone.
        """
        if not self._is_open or not select.select([self._control], [], [], 0)[0]:
            return False
        asked = os.read(self._control, SIZE)
        if not asked:
            self.close()
        elif REPORT not in asked:
            self._answer(asked[-1])
        return REPORT in asked

    def close(self) -> None:
        """Answer nothing from now on: a pipe without a writer would not let the follower wait."""
        if self._is_open:
            self._is_open = False
            self._follower.sleep_through(self._control)

    def _answer(self, number: int) -> None:
        from envdoctor.watch.measures import figures  # in a training that asks
        from envdoctor.watch.outside import Outsides
        from envdoctor.watch.samples import Sampler

        self._sampler = self._sampler or Sampler(Outsides().look)
        self._follower.count()
        sample = self._sampler.sample(self._follower.training(), time.time())
        line = json.dumps([number, figures(sample)]).encode() + b"\n"
        with suppress(BrokenPipeError):
            os.write(self._answers, line)


def follow(
    pid: int, command: tuple[str, ...], holders: bool, control: int, answer: BinaryIO
) -> None:
    """Watch a process until it says so, or has ended, and answer with the report."""
    directory = RunDirectory()
    try:
        hook_modules = write_boot(directory.path)
        follower = Follower(directory.path, command, holders, earlier=[*tree.below(pid)])
        try:
            follower.pid = pid
            running = RunningTraining(command, pid, os.getpid(), follower.began, owner.started(pid))
            mark(directory.path, running)
            directory.keep_for(pid)
            places = [str(directory.path / name) for name in ("", CODE, BOOT)]
            answer.write(json.dumps([*places, hook_modules]).encode() + b"\n")
            answer.flush()
            training = _followed(follower, Answering(follower, control, answer.fileno()))
        finally:
            follower.close()
    finally:
        directory.close()
    _hand_over(_report(training), is_there=machine.is_running(pid), answer=answer)


def _hand_over(report: Report, is_there: bool, answer: BinaryIO) -> None:
    """Answer with the report; where the process died, the report goes to its stderr."""
    if not is_there:
        from envdoctor.reporters import terminal

        sys.stderr.write(terminal.render(report, directory=os.getcwd()))
        return
    with suppress(BrokenPipeError):
        answer.write(pickle.dumps(report))
        answer.flush()


def _followed(follower: Follower, answering: Answering) -> Training:
    while machine.is_running(follower.pid) and not answering.is_last():
        if follower.running:
            follower.look()
        else:
            follower.count()  # it has not begun
        follower.wait(min(LOOK, follower.pause))
    answering.close()
    follower.count()
    return follower.training() if machine.is_running(follower.pid) else _ended(follower)


def _ended(follower: Follower) -> Training:
    """The training of a process that has ended, once its last thread has."""
    deadline = time.monotonic() + PATIENCE
    while True:
        process = follower.training().process(follower.pid)
        if process is not None and process.code is not None:
            return follower.finish(process.code)
        if process is None or process.ended is not None or time.monotonic() > deadline:
            return follower.training()
        follower.wait(LOOK)


def _report(training: Training) -> Report:
    recorder = ObservationRecorder()
    report = reporting.report(training, reporting.begin((NAME,), recorder), recorder)
    return reporting.shown(report)


def main(words: list[str]) -> None:
    """Leave the process that started this one, and watch it."""
    if os.fork():
        os._exit(0)
    pid, holders, *command = words
    try:
        control, answer = sys.stdin.fileno(), sys.stdout.buffer
        follow(int(pid), tuple(command), holders == "holders", control, answer)
    except OSError as error:  # no room for its directory, mostly
        sys.stderr.write(f"envdoctor: {error.strerror}: {error.filename or 'watching()'}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
