"""The user's command, run as if it were not watched: its streams, its signals, its exit code."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from envdoctor.errors import UsageError
from envdoctor.model.training import Training
from envdoctor.run.supervise.run_directory import RunDirectory
from envdoctor.watch.boot_folder import environment, write_boot
from envdoctor.watch.following import Follower

FORWARDED = (
    signal.SIGINT,
    signal.SIGTERM,
    signal.SIGHUP,
    signal.SIGQUIT,
    signal.SIGUSR1,
    signal.SIGUSR2,
)
BY_KERNEL = 0x80  # si_code of what the terminal sends, which the command has got as well
LOOK = 0.1  # seconds

Say = Callable[[Follower], None]


def watch(command: tuple[str, ...], say: Say, every: float) -> Training:
    """Run a command and see what it does; `say` is called every so many seconds, never for 0.

    Raises UsageError where it cannot be started.
    """
    directory = RunDirectory()
    try:
        write_boot(directory.path)
        return _watched(directory.path, command, say, every)
    finally:
        directory.close()


def _watched(folder: Path, command: tuple[str, ...], say: Say, every: float) -> Training:
    follower = Follower(folder, command)
    started = _start(command, folder)
    earlier = signal.pthread_sigmask(signal.SIG_BLOCK, FORWARDED)
    try:
        follower.pid = started.pid
        spoken = time.monotonic()
        while started.poll() is None:
            follower.look()
            follower.wait(LOOK)
            _forward(started)
            if every and time.monotonic() - spoken >= every:
                spoken = time.monotonic()
                say(follower)
        follower.look()
        return follower.finish(started.returncode)
    finally:
        follower.close()
        signal.pthread_sigmask(signal.SIG_SETMASK, earlier)


def _start(command: tuple[str, ...], folder: Path) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(command, env=environment(folder, os.environ))
    except OSError as error:
        why = "the program does not exist" if error.errno == errno.ENOENT else error.strerror
        raise UsageError(f"{command[0]} cannot be started: {why}") from error


def _forward(started: subprocess.Popen[bytes]) -> None:
    """Hand on the signals that came since, but those that the terminal sent to both."""
    while (info := signal.sigtimedwait(FORWARDED, 0)) is not None:
        if info.si_code != BY_KERNEL and started.poll() is None:
            started.send_signal(info.si_signo)
