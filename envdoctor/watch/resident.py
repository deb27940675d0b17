"""The doctor of a process that asked to be watched, in a process that is not its child. On stdout
it says where its run's directory is. Once it gets a byte on stdin, or that is closed, it writes the
report there and ends.
"""

from __future__ import annotations

import json
import os
import pickle
import select
import sys
from typing import BinaryIO

from envdoctor.model.report import Report
from envdoctor.model.training import Training
from envdoctor.run.supervise import owner
from envdoctor.run.supervise.machine import machine
from envdoctor.run.supervise.run_directory import RunDirectory
from envdoctor.verdict.diagnosis import Recorder
from envdoctor.watch import reporting
from envdoctor.watch.boot_folder import BOOT, CODE, write_boot
from envdoctor.watch.following import Follower
from envdoctor.watch.running import Running, mark

LOOK = 0.05  # seconds
NAME = "envdoctor.watching()"  # as the command of the report


def follow(
    pid: int, command: tuple[str, ...], holders: bool, control: int, answer: BinaryIO
) -> None:
    """Watch a process until it says so, or has ended, and answer with the report."""
    directory = RunDirectory()
    try:
        seats = write_boot(directory.path)
        follower = Follower(directory.path, command, holders)
        try:
            follower.pid = pid
            running = Running(command, pid, os.getpid(), follower.began, owner.started(pid))
            mark(directory.path, running)
            directory.keep_for(pid)
            folders = {name: str(directory.path / name) for name in (BOOT, CODE)}
            told = {"folder": str(directory.path), "seats": seats, **folders}
            answer.write(json.dumps(told).encode() + b"\n")
            answer.flush()
            training = _followed(follower, control)
        finally:
            follower.close()
    finally:
        directory.close()
    answer.write(pickle.dumps(_report(training)))
    answer.flush()


def _followed(follower: Follower, control: int) -> Training:
    while machine.is_running(follower.pid) and not select.select([control], [], [], 0)[0]:
        follower.look()
        follower.wait(min(LOOK, follower.pause))
    follower.count()
    return follower.training()


def _report(training: Training) -> Report:
    recorder = Recorder()
    return reporting.report(training, reporting.begin((NAME,), recorder), recorder)


def main(words: list[str]) -> None:
    """Leave the process that started this one, and watch it."""
    if os.fork():
        os._exit(0)
    pid, holders, *command = words
    follow(int(pid), tuple(command), holders == "holders", sys.stdin.fileno(), sys.stdout.buffer)


if __name__ == "__main__":
    main(sys.argv[1:])
